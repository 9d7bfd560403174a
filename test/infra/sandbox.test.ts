/** The sandbox on AWS: commands chosen by others can reach nothing, get no data and have no rights. */
import { functions } from '#features/functions.ts';
import { functionId, ofType, reference, roleOf, synthesize } from './synthesized.ts';

const { services } = synthesize();
const off = synthesize({ sandboxConcurrency: 0 }).services;
const { Properties } = ofType(services, 'AWS::Lambda::Function')[functionId(services, 'sandbox')]!;
const role = roleOf(services, 'sandbox').Properties;
const statements: Record<string, unknown>[] = role.Policies[0].PolicyDocument.Statement;

describe('[cloud.least-privilege] the sandbox', () => {
  it('may write its log and have Lambda create its network interfaces', () => {
    const allowed = statements.filter(({ Effect }) => Effect === 'Allow').flatMap(({ Action }) => Action as string[]);
    expect(allowed.filter((action) => !action.startsWith('ec2:'))).toEqual([
      'logs:CreateLogStream',
      'logs:PutLogEvents',
    ]);
    for (const action of allowed.filter((action) => action.startsWith('ec2:')))
      expect(action).toMatch(
        /^ec2:(?:(?:Create|Delete)NetworkInterface|Describe\w+|(?:Una|A)ssignPrivateIpAddresses)$/,
      );
    expect(role.ManagedPolicyArns).toBeUndefined();
  });

  it('its own code is denied everything except logging', () => {
    const [denied, ...more] = statements.filter(({ Effect }) => Effect === 'Deny');
    expect(more).toEqual([]);
    expect(denied).toMatchObject({ NotAction: 'logs:*', Resource: '*' });
    const { ArnEquals } = denied!.Condition as { ArnEquals: Record<string, unknown> };
    const sources = ArnEquals['lambda:SourceFunctionArn'] as unknown[];
    expect(sources.map(reference)).toEqual([
      expect.stringMatching(/:function:agent-governance-sandbox$/),
      expect.stringMatching(/:function:agent-governance-sandbox:\*$/),
    ]);
  });

  it('has no environment variables, tracing or tables', () => {
    expect(Properties.Environment).toBeUndefined();
    expect(Properties.TracingConfig).toBeUndefined();
    expect(functions.sandbox.tables).toEqual({});
  });

  it('has little disk space, and can be turned off', () => {
    expect(Properties).toMatchObject({ EphemeralStorage: { Size: 512 } });
    expect(
      ofType(off, 'AWS::Lambda::Function')[functionId(off, 'sandbox')]!.Properties.ReservedConcurrentExecutions,
    ).toBe(0);
  });
});

describe('[cloud.templates] its network', () => {
  const only = (type: string) => {
    const [[id, { Properties }] = ['', { Properties: undefined }], ...more] = Object.entries(ofType(services, type));
    expect(more).toEqual([]);
    return { id, Properties };
  };

  it('is used only by the sandbox function', () => {
    const inside = Object.values(ofType(services, 'AWS::Lambda::Function')).filter(
      ({ Properties }) => Properties.VpcConfig,
    );
    expect(inside.map(({ Properties }) => Properties.FunctionName)).toEqual(['agent-governance-sandbox']);
    const { id } = only('AWS::EC2::SecurityGroup');
    expect(Properties.VpcConfig.SecurityGroupIds.map(reference)).toEqual([`{${id}.GroupId}`]);
    expect(Properties.VpcConfig.SubnetIds.map(reference).sort()).toEqual(
      Object.keys(ofType(services, 'AWS::EC2::Subnet'))
        .map((subnet) => `{${subnet}.SubnetId}`)
        .sort(),
    );
  });

  it('has no way out: the template contains no gateway, endpoint, peering or route', () => {
    const types = Object.values(services.toJSON().Resources as Record<string, { Type: string }>).map(
      ({ Type }) => Type,
    );
    expect(new Set(types.filter((type) => type.startsWith('AWS::EC2::')))).toEqual(
      new Set(['AWS::EC2::VPC', 'AWS::EC2::Subnet', 'AWS::EC2::SecurityGroup']),
    );
    for (const { Properties } of Object.values(ofType(services, 'AWS::EC2::Subnet')))
      expect(Properties.MapPublicIpOnLaunch).toBe(false);
  });

  it('resolves no names, because a resolver would be a way out that no security group closes', () => {
    expect(only('AWS::EC2::VPC').Properties).toMatchObject({ EnableDnsSupport: false, EnableDnsHostnames: false });
  });

  it('allows no inbound or outbound traffic', () => {
    const { Properties } = only('AWS::EC2::SecurityGroup');
    expect(Properties.SecurityGroupIngress ?? []).toEqual([]);
    expect(Properties.SecurityGroupEgress).toEqual([
      { IpProtocol: 'icmp', FromPort: 252, ToPort: 86, CidrIp: '255.255.255.255/32' },
    ]);
  });
});
