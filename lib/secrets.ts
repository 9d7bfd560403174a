/**
 * The gateway's secrets, in bundles, so that each function reads only its own. Each bundle is one JSON object that maps
 * environment names to values, using the names in the configuration (`token_env`, `key_env`, …).
 */
import { ArnFormat, Stack } from 'aws-cdk-lib';
import { type CfnSecret, Secret } from 'aws-cdk-lib/aws-secretsmanager';
import { Construct } from 'constructs';
import { type SecretName, secretNames } from '#core/contracts/function-spec.ts';
import { accept } from './findings.ts';
import type { GatewaySettings } from './settings.ts';

/**
 * Name of the platform administrator's token in its secret, which functions may not read: `agentctl bootstrap` stores
 * its digest.
 */
const adminTokenName = 'GATEWAY_ADMIN_TOKEN';

export const secretId = (settings: GatewaySettings, name: SecretName | 'admin'): string => `${settings.name}/${name}`;

interface GatewaySecretsProps {
  readonly settings: GatewaySettings;
}

export class GatewaySecrets extends Construct {
  constructor(scope: Construct, id: string, { settings }: GatewaySecretsProps) {
    super(scope, id);
    for (const name of (['admin', ...secretNames] as const).filter((each) => isUsed(each, settings))) {
      const secret = new Secret(this, name, {
        secretName: secretId(settings, name),
        description: `agent governance gateway: ${name}`,
        removalPolicy: settings.storeRemoval,
        ...initialValue(name),
      });
      // Has no value until the operator stores one, because a later template change could overwrite the operator's
      // value.
      if (name !== 'admin') (secret.node.defaultChild as CfnSecret).addPropertyDeletionOverride('GenerateSecretString');
    }
    accept(this, {
      'AwsSolutions-SMG4':
        'The values belong to other parties (callers, chat, Git hosts, upstreams); rotating one means telling them, as the runbook says.',
    });
  }
}

/** Checks whether the deployment uses a secret. No secrets are created for disabled optional features. */
const isUsed = (name: SecretName | 'admin', { canary, dataPlane }: GatewaySettings): boolean =>
  name === 'canary' ? canary : name === 'federation' ? dataPlane : true;

/** Generates the admin token inside Secrets Manager, so that no template, file or log ever contains it. */
const initialValue = (name: SecretName | 'admin') =>
  name === 'admin'
    ? {
        generateSecretString: {
          secretStringTemplate: '{}',
          generateStringKey: adminTokenName,
          passwordLength: 48,
          excludePunctuation: true,
        },
      }
    : {};

/**
 * Returns the ARN built from the name, with a pattern for the six characters that Secrets Manager adds. The pattern is
 * exact, and the same everywhere.
 */
export const secretArnPattern = (scope: Construct, settings: GatewaySettings, name: SecretName): string =>
  Stack.of(scope).formatArn({
    service: 'secretsmanager',
    resource: 'secret',
    resourceName: `${secretId(settings, name)}-??????`,
    arnFormat: ArnFormat.COLON_RESOURCE_NAME,
  });
