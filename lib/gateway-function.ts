/** Creates every Lambda function: same runtime, same environment, separate role, separate log group. */
import { Duration, RemovalPolicy, Size } from 'aws-cdk-lib';
import { PolicyDocument, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import {
  Alias,
  Architecture,
  type CfnFunction,
  Code,
  type IVersion,
  Function as LambdaFunction,
  Runtime,
  Tracing,
} from 'aws-cdk-lib/aws-lambda';
import { LogGroup, RetentionDays } from 'aws-cdk-lib/aws-logs';
import { Construct } from 'constructs';
import type { FunctionSpec, Rights } from '#core/contracts/function-spec.ts';
import type { FunctionName } from '#core/contracts/functions.ts';
import { objectFolders } from '#core/contracts/object-folders.ts';
import { functions } from '#features/functions.ts';
import { accessOf, allow, attachedAccess, bedrockResources, interfaceAccess } from './access.ts';
import { reservedFor } from './concurrency.ts';
import { ownEnvironment } from './environment.ts';
import { accept } from './findings.ts';
import type { SandboxNetwork } from './sandbox-network.ts';
import { functionName, type GatewaySettings, liveAlias, roleName } from './settings.ts';
import { findingOnObjects, type Stores, storeOutput } from './stores.ts';
import type { ApiIds } from './surface-api.ts';

interface GatewayFunctionProps {
  /** Row in `core/contracts/functions.ts`: purpose, access, memory and timeout. */
  readonly name: FunctionName;
  readonly settings: GatewaySettings;
  readonly stores: Stores;
  /** The variables that every function has: names and addresses, never a secret. */
  readonly environment: Readonly<Record<string, string>>;
  readonly apis: ApiIds;
  /** Network for sandboxed functions; the emulator has none. */
  readonly nowhere: SandboxNetwork | undefined;
}

export class GatewayFunction extends Construct {
  readonly function: LambdaFunction;
  /** The alias that callers use. */
  readonly live: Alias;
  readonly role: Role;

  constructor(scope: Construct, id: string, props: GatewayFunctionProps) {
    super(scope, id);
    const { name, settings, stores, environment, apis } = props;
    const spec: FunctionSpec = functions[name];
    const physicalName = functionName(settings, name);
    const nowhere = spec.sandboxed && props.nowhere;
    const attached = spec.callsUpstreams && settings.network;
    const reserved = reservedFor(name, spec.sandboxed?.concurrency, settings);
    const logGroup = new LogGroup(this, 'Logs', {
      logGroupName: `/aws/lambda/${physicalName}`,
      retention: RetentionDays.THREE_MONTHS,
      removalPolicy: RemovalPolicy.DESTROY,
    });
    this.role = new Role(this, 'Role', {
      roleName: roleName(this, settings, name),
      assumedBy: new ServicePrincipal('lambda.amazonaws.com'),
      description: `${name}: ${spec.purpose}`,
      inlinePolicies: {
        access: new PolicyDocument({
          statements: [
            ...accessOf(this, spec, stores, settings, apis),
            allow(['logs:CreateLogStream', 'logs:PutLogEvents'], [logGroup.logGroupArn]),
            ...(nowhere ? interfaceAccess(this, settings, name) : []),
            ...(attached ? attachedAccess(this, settings, name) : []),
          ],
        }),
      },
    });
    accept(this.role, findings(spec, settings));
    this.function = new LambdaFunction(this, 'Function', {
      functionName: physicalName,
      description: spec.purpose,
      runtime: Runtime.NODEJS_24_X,
      architecture: Architecture.ARM_64,
      handler: 'index.handler',
      code: Code.fromAsset(`${settings.bundles}/${name}`),
      memorySize: spec.memoryMb,
      timeout: Duration.seconds(spec.timeoutSeconds),
      // Code in the sandbox gets no variables and no tracing.
      ...(spec.sandboxed
        ? { ephemeralStorageSize: Size.mebibytes(spec.sandboxed.diskMb) }
        : {
            tracing: Tracing.ACTIVE,
            environment: { ...environment, ...ownEnvironment(this, settings, stores, spec, apis) },
          }),
      ...(reserved !== undefined && { reservedConcurrentExecutions: reserved }),
      logGroup,
      // The role's permissions above are complete; the CDK must not add any.
      role: this.role.withoutPolicyUpdates(),
    });
    const provisionedConcurrentExecutions = settings.provisionedConcurrency[name];
    this.live = new Alias(this, 'Live', {
      aliasName: liveAlias,
      version: this.function.currentVersion as IVersion,
      ...(provisionedConcurrentExecutions !== undefined && { provisionedConcurrentExecutions }),
    });
    const network = nowhere || attached;
    if (network) {
      const { subnetIds, securityGroupIds } = network;
      (this.function.node.defaultChild as CfnFunction).vpcConfig = {
        subnetIds: [...subnetIds],
        securityGroupIds: [...securityGroupIds],
      };
    }
  }
}

/** Accepts findings on object bodies, which cannot be listed by name and therefore cover every object in one bucket. */
export const findings = (spec: Rights, settings: GatewaySettings): Record<string, string> => ({
  'AwsSolutions-IAM5[Resource::*]': spec.sandboxed
    ? 'Lambda creates network interfaces under this role and supports no narrower resource; the code itself is denied these and all other actions.'
    : 'X-Ray and the listing of streams support no narrower resource; a test checks that nothing else is allowed on all resources.',
  ...(spec.objects && {
    [findingOnObjects(settings, storeOutput.objects, `${objectFolders.configurations}/*`)]:
      'Objects are named by the digest of their content.',
  }),
  ...(spec.results && {
    [findingOnObjects(settings, storeOutput.objects, `${objectFolders.results}/*`)]:
      'Objects are named by the digest of their content.',
  }),
  ...(spec.definitions && {
    [findingOnObjects(settings, storeOutput.objects, `${objectFolders.definitions}/*`)]:
      'Objects are named by the digest of their content.',
  }),
  ...(spec.invokesModels && {
    'AwsSolutions-IAM5[Resource::arn:<AWS::Partition>:bedrock:*::foundation-model/*]':
      'The configuration names the models and their regions; it is versioned, and only an administrator can store it.',
    ...Object.fromEntries(
      bedrockResources.map((kind) => [
        `AwsSolutions-IAM5[Resource::arn:<AWS::Partition>:bedrock:*:<AWS::AccountId>:${kind}/*]`,
        'As for models: the configuration names them, and all belong to this account.',
      ]),
    ),
  }),
  ...(spec.postsToConnections && {
    'AwsSolutions-IAM5[Resource::arn:<AWS::Partition>:execute-api:<AWS::Region>:<AWS::AccountId>:<WebSocketApi273F6915>/gateway/POST/@connections/*]':
      'Each connection gets its id when it opens; all connections belong to this one API.',
    'AwsSolutions-IAM5[Resource::arn:<AWS::Partition>:execute-api:<AWS::Region>:<AWS::AccountId>:<WebSocketApi273F6915>/gateway/DELETE/@connections/*]':
      'A connection gets its id when it opens; all of them belong to this one API.',
  }),
  ...((spec.archives || spec.readsArchive) && {
    [findingOnObjects(settings, storeOutput.archive, '*')]:
      'Archived entries are named by their tenant, session and position; the bucket refuses to overwrite or delete.',
  }),
});
