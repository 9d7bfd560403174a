/** What may stand before the APIs: host names, CloudFront, web ACLs, a private admin API, a VPC. Template only. */
import { runInNewContext } from 'node:vm';
import { App, Validations } from 'aws-cdk-lib';
import type { Template } from 'aws-cdk-lib/assertions';
import { AwsSolutionsChecks } from 'cdk-nag';
import { edgeFunctionCode } from '../../lib/edge-functions.ts';
import { buildGateway } from '../../lib/gateway.ts';
import { readSettings } from '../../lib/settings.ts';
import type { Loose } from '../support/loose.ts';
import { emptyApp, functionId, ofType, reference, roleOf, synthesize } from './synthesized.ts';

const account = '123456789012';
const own = {
  domain: 'gateway.example.com',
  certificate: `arn:aws:acm:eu-central-1:${account}:certificate/regional`,
  hostedZoneId: 'Z0123456789',
};
const vpc = { vpcId: 'vpc-0a1b2c3d', subnetIds: 'subnet-0a1b2c3d,subnet-0a1b2c3e', securityGroupIds: 'sg-0a1b2c3d' };
const cloudFront = { ...own, edge: 'on', edgeCertificate: `arn:aws:acm:us-east-1:${account}:certificate/global` };

const plain = synthesize();
const edge = synthesize({ ...cloudFront, adminCidrs: '203.0.113.0/24,2001:db8::/32' });
const inside = synthesize({
  ...cloudFront,
  ...vpc,
  ...{ admin: 'private', adminCidrs: '10.0.0.0/8', vpcEndpoints: 'on', routeTableIds: 'rtb-0a1b2c3d,rtb-0a1b2c3e' },
});

const [oldVersion, newVersion] = ['0a'.repeat(16), '0b'.repeat(16)];
const tuned = synthesize({
  ...cloudFront,
  hostedZoneId: '',
  ...{ edgeReadTimeoutSeconds: 180, requestsPerAddress: 500, edgeSecretVersions: `${oldVersion},${newVersion}` },
  edgeWebAcl: `arn:aws:wafv2:us-east-1:${account}:global/webacl/mine/0a1b`,
});
const direct = synthesize({ ...own, ...vpc, adminCidrs: '203.0.113.0/24' });

const only = (template: Template, type: string): Loose[] =>
  Object.values(ofType(template, type)).map(({ Properties }) => Properties);
const told = (template: Template, name = 'mcp'): Loose =>
  ofType(template, 'AWS::Lambda::Function')[functionId(template, name)]!.Properties.Environment.Variables;
const outputs = ({ services }: { services: Template }): Loose => services.toJSON().Outputs;

describe('what was not configured', () => {
  it('[cloud.edge] is not there: no stack, no host, no VPC', () => {
    expect(plain.edge).toBeUndefined();
    for (const type of ['AWS::ApiGateway::DomainName', 'AWS::EC2::VPCEndpoint', 'AWS::WAFv2::WebACL'])
      expect(only(plain.services, type)).toEqual([]);
    expect(told(plain.services).BEHIND_EDGE).toBeUndefined();
    for (const api of only(plain.services, 'AWS::ApiGateway::RestApi'))
      expect([api.DisableExecuteApiEndpoint, api.EndpointConfiguration.Types]).toEqual([undefined, ['REGIONAL']]);
  });
});

describe('[cloud.own-hosts] host names of its own', () => {
  it('stand at the root of every surface, with TLS 1.3, under the certificate of the region', () => {
    const served = only(direct.services, 'AWS::ApiGateway::DomainName');
    expect(Object.fromEntries(served.map(({ DomainName, SecurityPolicy }) => [DomainName, SecurityPolicy]))).toEqual({
      'api.gateway.example.com': 'SecurityPolicy_TLS13_1_3_2025_09',
      'mcp.gateway.example.com': 'SecurityPolicy_TLS13_1_3_2025_09',
      'admin.gateway.example.com': 'SecurityPolicy_TLS13_1_3_2025_09',
      'callbacks.gateway.example.com': 'SecurityPolicy_TLS13_1_2_PFS_PQ_2025_09',
    });
    for (const { RegionalCertificateArn, EndpointAccessMode } of served)
      expect([RegionalCertificateArn, EndpointAccessMode]).toEqual([own.certificate, 'STRICT']);
    const mappings = only(direct.services, 'AWS::ApiGateway::BasePathMapping');
    expect(mappings.map(({ BasePath }) => BasePath)).toEqual(Array(4).fill(undefined));
    expect(only(direct.services, 'AWS::ApiGatewayV2::DomainName')).toMatchObject([
      { DomainName: 'ws.gateway.example.com' },
    ]);
    expect(only(direct.services, 'AWS::ApiGatewayV2::ApiMapping')).toHaveLength(1);
  });

  it("stand in functions and outputs, and the APIs' own names are switched off", () => {
    expect(told(direct.services)).toMatchObject({
      ADMIN_URL: 'https://admin.gateway.example.com',
      GATEWAY_URL: 'https://api.gateway.example.com',
      MCP_URL: 'https://mcp.gateway.example.com',
    });
    expect(outputs(direct)).toMatchObject({
      AdminUrl: { Value: 'https://admin.gateway.example.com' },
      CallbacksUrl: { Value: 'https://callbacks.gateway.example.com' },
      WebSocketUrl: { Value: 'wss://ws.gateway.example.com' },
    });
    for (const { DisableExecuteApiEndpoint } of only(direct.services, 'AWS::ApiGateway::RestApi'))
      expect(DisableExecuteApiEndpoint).toBe(true);
    // Tokens go to connections by the API's own name.
    expect(reference(told(direct.services, 'ws-worker').CONNECTIONS_URL)).toMatch(/\.execute-api\./);
  });

  it('have records in the zone that is named, and none where none is', () => {
    expect(
      only(direct.services, 'AWS::Route53::RecordSet')
        .map(({ Name }) => Name)
        .sort(),
    ).toEqual(['admin', 'api', 'callbacks', 'mcp', 'ws'].map((label) => `${label}.gateway.example.com.`));
    expect(only(edge.edge!, 'AWS::Route53::RecordSet').map(({ Type }) => Type)).toEqual(
      Array(5).fill(['A', 'AAAA']).flat(),
    );
    expect(only(tuned.edge!, 'AWS::Route53::RecordSet')).toEqual([]);
  });
});

describe('[cloud.edge] CloudFront', () => {
  const made = only(edge.edge!, 'AWS::CloudFront::Distribution').map(({ DistributionConfig }) => DistributionConfig);
  const of = (label: string): Loose =>
    made.find(({ Aliases }) => Aliases[0] === `${label}.gateway.example.com`) as Loose;

  it('serves each host over HTTP/3 and TLS 1.3, with the certificate of us-east-1', () => {
    expect(made.map(({ Aliases }) => Aliases[0]).sort()).toEqual(
      ['admin', 'api', 'callbacks', 'edge', 'mcp'].map((label) => `${label}.gateway.example.com`),
    );
    for (const { HttpVersion, ViewerCertificate, Aliases } of made) {
      expect(HttpVersion).toBe('http2and3');
      expect(ViewerCertificate).toMatchObject({
        AcmCertificateArn: cloudFront.edgeCertificate,
        MinimumProtocolVersion: Aliases[0].startsWith('callbacks') ? 'TLSv1.2_2025' : 'TLSv1.3_2025',
      });
    }
  });

  it('caches and compresses nothing, passes every method and every header but Host', () => {
    for (const { DefaultCacheBehavior } of made) {
      expect(DefaultCacheBehavior).toMatchObject({
        Compress: false,
        CachePolicyId: '4135ea2d-6df8-44a3-9df3-4b5a84be39ad',
        OriginRequestPolicyId: 'b689b0a8-53d0-40ab-baf2-68738e2966ac',
        ViewerProtocolPolicy: 'https-only',
      });
      expect(DefaultCacheBehavior.AllowedMethods.toSorted()).toEqual([
        'DELETE',
        'GET',
        'HEAD',
        'OPTIONS',
        'PATCH',
        'POST',
        'PUT',
      ]);
    }
  });

  it('keeps no refusal of one caller for another: errors are not cached either', () => {
    for (const { CustomErrorResponses } of made) {
      const kept = CustomErrorResponses.map(({ ErrorCode }: Loose) => ErrorCode);
      expect(kept).toEqual(expect.arrayContaining([400, 403, 404, 405, 500, 502, 503, 504]));
      for (const error of CustomErrorResponses)
        expect(error).toEqual({ ErrorCode: error.ErrorCode, ErrorCachingMinTTL: 0 });
    }
  });

  it('waits long for an answer, and proves to the APIs who it is, with a value that no template holds', () => {
    for (const { Origins } of made) {
      for (const origin of Origins.filter((one: Loose) => !one.S3OriginConfig))
        expect(origin.CustomOriginConfig).toMatchObject({ OriginProtocolPolicy: 'https-only', OriginReadTimeout: 120 });
      const webSocket = Origins.find(({ DomainName }: Loose) => reference(DomainName).includes('WebSocketApi'));
      const [rest] = Origins;
      const [{ HeaderName, HeaderValue }] = rest.OriginCustomHeaders;
      expect(HeaderName).toBe('x-gateway-origin');
      // The WebSocket API cannot ask for it, so it is not sent there.
      expect(webSocket?.OriginCustomHeaders).toBeUndefined();
      expect(reference(HeaderValue)).toMatch(/^\{\{resolve:secretsmanager:\{OriginSecret\w+\}:SecretString:::\}\}$/);
    }
    const [{ DistributionConfig }] = only(tuned.edge!, 'AWS::CloudFront::Distribution') as [Loose];
    expect(DistributionConfig.Origins[0].CustomOriginConfig.OriginReadTimeout).toBe(180);
  });

  it('brings /v1/ws to the stage of the WebSocket API, and everything else to the stage of a REST API', () => {
    const { Origins, CacheBehaviors } = of('api');
    expect(CacheBehaviors.map(({ PathPattern }: Loose) => PathPattern)).toEqual(['/v1/ws']);
    expect(Origins.map(({ OriginPath }: Loose) => OriginPath)).toEqual(['/gateway', undefined]);
    expect(outputs(edge).WebSocketUrl.Value).toBe('wss://api.gateway.example.com/v1/ws');
    expect(told(edge.services)).toMatchObject({ MCP_URL: 'https://mcp.gateway.example.com', BEHIND_EDGE: 'on' });
  });

  it('[cloud.edge-address] replaces what a caller says of its address and host', () => {
    const run = (uri?: string) =>
      runInNewContext(`${edgeFunctionCode(uri)}; handler(event)`, {
        event: {
          viewer: { ip: '198.51.100.7' },
          request: {
            uri: '/v1/ws',
            headers: {
              host: { value: 'mcp.gateway.example.com' },
              'x-gateway-client': { value: '127.0.0.1' },
              'x-gateway-host': { value: 'elsewhere.example' },
            },
          },
        },
      }) as Loose;
    expect(run()).toMatchObject({
      uri: '/v1/ws',
      headers: {
        'x-gateway-client': { value: '198.51.100.7' },
        'x-gateway-host': { value: 'mcp.gateway.example.com' },
      },
    });
    expect(run('/gateway').uri).toBe('/gateway');
    const codes = only(edge.edge!, 'AWS::CloudFront::Function').map(({ FunctionCode }) => FunctionCode as string);
    expect(codes).toEqual(expect.arrayContaining([edgeFunctionCode('/gateway'), edgeFunctionCode()]));
    for (const { DefaultCacheBehavior } of made)
      expect(DefaultCacheBehavior.FunctionAssociations).toMatchObject([{ EventType: 'viewer-request' }]);
  });

  it('takes a web ACL of CloudFront that the operator keeps', () => {
    for (const { DistributionConfig } of only(tuned.edge!, 'AWS::CloudFront::Distribution'))
      expect(DistributionConfig.WebACLId).toBe(`arn:aws:wafv2:us-east-1:${account}:global/webacl/mine/0a1b`);
    for (const { WebACLId } of made) expect(WebACLId).toBeUndefined();
  });
});

describe('[cloud.firewall] the web ACLs', () => {
  const acl = (template: Template, name: string): Loose =>
    only(template, 'AWS::WAFv2::WebACL').find(({ Name }) => Name === `agent-governance-${name}`) as Loose;
  const rules = (template: Template, name = 'callers'): string[] =>
    acl(template, name).Rules.map(({ Name }: Loose) => Name);
  const rule = (template: Template, name: string, at = 'callers'): Loose =>
    acl(template, at).Rules.find(({ Name }: Loose) => Name === name);

  it('stand before the stage of every REST API', () => {
    for (const { edge: template } of [edge, direct]) {
      const stages = only(template!, 'AWS::WAFv2::WebACLAssociation').map(({ ResourceArn }) => reference(ResourceArn));
      expect(new Set(stages).size).toBe(4);
      for (const stage of stages)
        expect(stage).toMatch(/:apigateway:\{Region\}::\/restapis\/.*Api.*\/stages\/gateway$/);
    }
  });

  it('[cloud.origin-lock] refuse first what did not come through CloudFront', () => {
    for (const name of ['callers', 'admin']) expect(rules(edge.edge!, name)[0]).toBe('origin');
    const { Statement, Action, Priority } = rule(edge.edge!, 'origin');
    expect([Action, Priority]).toEqual([{ Block: {} }, 0]);
    const match = Statement.NotStatement.Statement.ByteMatchStatement;
    expect(match.FieldToMatch).toEqual({ SingleHeader: { Name: 'x-gateway-origin' } });
    expect(match.PositionalConstraint).toBe('EXACTLY');
    expect(reference(match.SearchString)).toMatch(/^\{\{resolve:secretsmanager:/);
    expect(rules(direct.edge!)).not.toContain('origin');
  });

  it('[cloud.origin-lock] take the old and the new value while it is replaced, and send the first', () => {
    const taken = rule(tuned.edge!, 'origin').Statement.NotStatement.Statement.OrStatement.Statements;
    expect(taken.map(({ ByteMatchStatement }: Loose) => reference(ByteMatchStatement.SearchString))).toEqual(
      [oldVersion, newVersion].map((version) => expect.stringContaining(version)),
    );
    const [{ DistributionConfig }] = only(tuned.edge!, 'AWS::CloudFront::Distribution') as [Loose];
    expect(reference(DistributionConfig.Origins[0].OriginCustomHeaders[0].HeaderValue)).toContain(oldVersion);
  });

  it('count calls by the address of the caller, and answer 429 in the shape of the contract', () => {
    const forwarded = rule(edge.edge!, 'rate').Statement.RateBasedStatement;
    expect(forwarded).toMatchObject({
      AggregateKeyType: 'FORWARDED_IP',
      ForwardedIPConfig: { HeaderName: 'x-gateway-client', FallbackBehavior: 'MATCH' },
    });
    expect(rule(direct.edge!, 'rate').Statement.RateBasedStatement).toEqual({
      AggregateKeyType: 'IP',
      EvaluationWindowSec: 300,
      Limit: 10_000,
    });
    expect(rule(edge.edge!, 'rate').Action.Block.CustomResponse).toMatchObject({ ResponseCode: 429 });
    const { limited } = acl(edge.edge!, 'callers').CustomResponseBodies;
    expect(JSON.parse(limited.Content)).toMatchObject({ error: { code: 429, type: 'rate_limit_error' } });
    expect(rule(tuned.edge!, 'rate').Statement.RateBasedStatement.Limit).toBe(500);
  });

  it('block no body: prompts, SQL and shell text are what this gateway is for', () => {
    for (const group of ['AWSManagedRulesCommonRuleSet', 'AWSManagedRulesKnownBadInputsRuleSet']) {
      const { RuleActionOverrides } = rule(direct.edge!, group).Statement.ManagedRuleGroupStatement;
      const counting = RuleActionOverrides.map(({ Name, ActionToUse }: Loose) => [Name, ActionToUse]);
      expect(counting.length).toBeGreaterThan(2);
      for (const [, action] of counting) expect(action).toEqual({ Count: {} });
    }
    const common = rule(direct.edge!, 'AWSManagedRulesCommonRuleSet').Statement.ManagedRuleGroupStatement;
    expect(common.RuleActionOverrides.map(({ Name }: Loose) => Name)).toEqual(
      expect.arrayContaining([
        ...['SizeRestrictions_BODY', 'EC2MetaDataSSRF_BODY', 'GenericLFI_BODY', 'GenericRFI_BODY'],
        'CrossSiteScripting_BODY',
      ]),
    );
    // Groups for SQL, shells and the like judge bodies and nothing else.
    expect(rules(direct.edge!).filter((name) => name.startsWith('AWSManagedRules'))).toEqual([
      ...['AWSManagedRulesAmazonIpReputationList', 'AWSManagedRulesCommonRuleSet'],
      'AWSManagedRulesKnownBadInputsRuleSet',
    ]);
  });

  it('keep no request: keys stand in their headers', () => {
    for (const { VisibilityConfig, Rules } of only(edge.edge!, 'AWS::WAFv2::WebACL'))
      for (const { SampledRequestsEnabled } of [VisibilityConfig, ...Rules.map((one: Loose) => one.VisibilityConfig)])
        expect(SampledRequestsEnabled).toBe(false);
    expect(only(edge.edge!, 'AWS::WAFv2::LoggingConfiguration')).toEqual([]);
  });

  it('let the networks that are named call the admin API, and all networks the others', () => {
    expect(rules(edge.edge!)).not.toContain('networks');
    const sets = rule(edge.edge!, 'networks', 'admin').Statement.NotStatement.Statement.OrStatement.Statements;
    for (const { IPSetReferenceStatement } of sets)
      expect(IPSetReferenceStatement.IPSetForwardedIPConfig).toEqual({
        HeaderName: 'x-gateway-client',
        FallbackBehavior: 'NO_MATCH',
        Position: 'FIRST',
      });
    expect(only(edge.edge!, 'AWS::WAFv2::IPSet').map(({ Addresses }) => Addresses)).toEqual([
      ['203.0.113.0/24'],
      ['2001:db8::/32'],
    ]);
    const statement = rule(direct.edge!, 'networks', 'admin').Statement.NotStatement.Statement;
    expect(statement.IPSetReferenceStatement.IPSetForwardedIPConfig).toBeUndefined();
  });

  it('are answered by API Gateway as a refusal, not as a request that could not be read', () => {
    const answers = only(plain.services, 'AWS::ApiGateway::GatewayResponse');
    for (const kind of ['WAF_FILTERED', 'ACCESS_DENIED']) {
      const found = answers.filter(({ ResponseType }) => ResponseType === kind);
      expect(found.map(({ StatusCode }) => StatusCode)).toEqual(Array(4).fill('403'));
      expect(JSON.parse(found[0]!.ResponseTemplates['application/json'])).toMatchObject({
        error: { type: 'forbidden' },
      });
    }
  });
});

describe('[cloud.private-admin] an admin API in a VPC', () => {
  const apis = only(inside.services, 'AWS::ApiGateway::RestApi');
  const admin = apis.find(({ Name }) => Name === 'agent-governance-admin') as Loose;

  it('takes calls from its endpoint alone, the others stay where they were', () => {
    expect(admin.EndpointConfiguration.Types).toEqual(['PRIVATE']);
    const [endpoint] = admin.EndpointConfiguration.VpcEndpointIds.map(reference);
    expect(endpoint).toMatch(/^\{PrivateAdminEndpoint\w*\.Id\}$/);
    const [statement, ...more] = admin.Policy.Statement;
    expect(more).toEqual([]);
    expect(statement).toMatchObject({ Effect: 'Allow', Action: 'execute-api:Invoke' });
    expect(reference(statement.Condition.StringEquals['aws:SourceVpce'])).toBe(endpoint);
    for (const api of apis.filter((one) => one !== admin)) {
      expect(api.EndpointConfiguration.Types).toEqual(['REGIONAL']);
      expect(api.Policy).toBeUndefined();
    }
  });

  it('is known by the name of API and endpoint, and reached from the networks that are named', () => {
    expect(reference(told(inside.services).ADMIN_URL)).toMatch(
      /^https:\/\/\{AdminApi\w+\}-\{PrivateAdminEndpoint\w*\.Id\}\.execute-api\.\{Region\}\.\{URLSuffix\}\/gateway$/,
    );
    const groups = only(inside.services, 'AWS::EC2::SecurityGroup');
    const callers = groups.find(({ GroupDescription }) => GroupDescription.includes('admin API')) as Loose;
    expect(callers.SecurityGroupIngress).toEqual([
      { CidrIp: '10.0.0.0/8', FromPort: 443, IpProtocol: 'tcp', ToPort: 443 },
    ]);
  });

  it('stands behind no distribution and no web ACL', () => {
    const made = only(inside.edge!, 'AWS::CloudFront::Distribution');
    expect(made.map(({ DistributionConfig }) => DistributionConfig.Aliases[0]).sort()).toEqual(
      ['api', 'callbacks', 'edge', 'mcp'].map((label) => `${label}.gateway.example.com`),
    );
    expect(only(inside.edge!, 'AWS::WAFv2::WebACLAssociation')).toHaveLength(3);
  });
});

describe('[cloud.vpc] a VPC for upstream servers', () => {
  const callers = [
    ...['approval-steps', 'chat-completions', 'credentials', 'federation-poll', 'mcp', 'messages'],
    ...['notify', 'sweep', 'test-action', 'ws-worker'],
  ];
  const attached = Object.values(ofType(inside.services, 'AWS::Lambda::Function')).filter(
    ({ Properties: { VpcConfig } }) => VpcConfig?.SecurityGroupIds[0] === 'sg-0a1b2c3d',
  );

  it('has the functions that call them, and no other', () => {
    expect(attached.map(({ Properties }) => Properties.FunctionName).sort()).toEqual(
      callers.map((name) => `agent-governance-${name}`),
    );
    for (const { Properties } of attached)
      expect(Properties.VpcConfig.SubnetIds).toEqual(['subnet-0a1b2c3d', 'subnet-0a1b2c3e']);
  });

  it('[cloud.least-privilege] gives them what Lambda needs for interfaces, and denies it to their code', () => {
    const statements = (name: string): Loose[] =>
      roleOf(inside.services, name).Properties.Policies[0].PolicyDocument.Statement;
    const interfaces = (name: string) => statements(name).filter((one) => JSON.stringify(one).includes('ec2:'));
    for (const name of callers) {
      const [allowed, denied] = [...interfaces(name)].sort((a, b) => (a.Effect < b.Effect ? -1 : 1));
      expect(allowed?.Action).toContain('ec2:CreateNetworkInterface');
      expect(denied).toMatchObject({ Effect: 'Deny', Action: 'ec2:*', Resource: '*' });
      expect(denied?.Condition.ArnEquals['lambda:SourceFunctionArn'].map(reference)).toEqual([
        expect.stringMatching(new RegExp(`:function:agent-governance-${name}$`)),
        expect.stringMatching(new RegExp(`:function:agent-governance-${name}:\\*$`)),
      ]);
    }
    for (const name of ['approvals', 'policies', 'project']) expect(interfaces(name)).toEqual([]);
    for (const name of callers)
      expect(JSON.stringify(roleOf(plain.services, name).Properties.Policies)).not.toContain('ec2:');
  });

  it('gets endpoints where they are asked for', () => {
    const service = ({ ServiceName }: Loose) => reference(ServiceName).replace('com.amazonaws.{Region}.', '');
    const endpoints = only(inside.services, 'AWS::EC2::VPCEndpoint');
    const of = (type: string) =>
      endpoints
        .filter(({ VpcEndpointType }) => VpcEndpointType === type)
        .map(service)
        .sort();
    expect(of('Gateway')).toEqual(['dynamodb', 's3']);
    expect(of('Interface')).toEqual([
      ...['bedrock-runtime', 'execute-api', 'kms', 'lambda', 'logs', 'rds-data', 'secretsmanager'],
      ...['states', 'sts', 'xray'],
    ]);
    expect(only(direct.services, 'AWS::EC2::VPCEndpoint')).toEqual([]);
    expect(
      only(direct.services, 'AWS::Lambda::Function').filter(
        ({ VpcConfig }) => VpcConfig?.SecurityGroupIds[0] === 'sg-0a1b2c3d',
      ),
    ).toHaveLength(callers.length);
  });
});

describe('[cloud.nag] the rules of AWS find nothing', () => {
  const choices: Record<string, Record<string, unknown>> = {
    'with host names, and a web ACL for the admin API': { ...own, adminCidrs: '203.0.113.0/24' },
    'with CloudFront and the console': cloudFront,
    'with everything on': {
      ...cloudFront,
      ...vpc,
      ...{ admin: 'private', adminCidrs: '10.0.0.0/8', vpcEndpoints: 'on', routeTableIds: 'rtb-0a1b2c3d' },
    },
  };
  const apps = Object.entries(choices).map(([name, context]) => [name, emptyApp(context).app] as const);
  it.each(apps)('%s', (_, app) => {
    buildGateway(app, { account, region: 'eu-central-1' });
    Validations.of(app).addPlugins(new AwsSolutionsChecks(app));
    expect(() => app.synth()).not.toThrow();
  });

  const { app: unknown } = emptyApp(cloudFront);
  it('with CloudFront, where account and region are not known', () => {
    buildGateway(unknown);
    Validations.of(unknown).addPlugins(new AwsSolutionsChecks(unknown));
    expect(() => unknown.synth()).not.toThrow();
  });
});

describe('options that contradict each other or lack one', () => {
  it.each([
    [{ edge: 'on' }, '"edge=on" needs "domain"'],
    [{ ...own, edge: 'on' }, '"edge=on" needs "edgeCertificate"'],
    [{ ...cloudFront, edgeCertificate: own.certificate }, '"edgeCertificate" must hold ARNs of acm'],
    [{ domain: 'gateway.example.com' }, '"domain" needs "certificate"'],
    [{ ...own, domain: 'https://gateway.example.com' }, '"domain" must hold one domain'],
    [{ ...own, domain: 'a.example.com,b.example.com' }, '"domain" must be one domain'],
    [{ adminCidrs: '0.0.0.0/0' }, '"adminCidrs" must hold networks'],
    [{ adminCidrs: '203.0.113.300/24' }, '"adminCidrs" must hold networks'],
    [{ admin: 'private' }, '"admin=private" needs "vpcId"'],
    [{ ...vpc, admin: 'private' }, 'in "adminCidrs" the networks'],
    [{ vpcId: 'vpc-0a1b2c3d' }, 'belong together'],
    [{ subnetIds: 'subnet-0a1b2c3d' }, 'belong together'],
    [{ ...vpc, vpcEndpoints: 'on' }, 'needs "routeTableIds"'],
    [{ ...vpc, subnetIds: 'mine' }, '"subnetIds" must hold subnets'],
    [{ ...cloudFront, edgeReadTimeoutSeconds: 30 }, 'must be a whole number from 60'],
    [{ stage: 'emulator', firewall: 'on' }, 'need AWS'],
    [{ stage: 'emulator', ...vpc }, 'needs AWS'],
  ])('refuses %j', (context, message) => {
    expect(() => readSettings(new App({ context }).node)).toThrow(message);
  });
});
