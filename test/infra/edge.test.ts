/** Optional parts in front of the APIs: host names, CloudFront, web ACLs, a private admin API, a VPC. Template only. */
import { runInNewContext } from 'node:vm';
import type { Template } from 'aws-cdk-lib/assertions';
import { edgeFunctionCode } from '../../lib/edge-functions.ts';
import { readSettings } from '../../lib/settings.ts';
import type { Loose } from '../support/loose.ts';
import { account, cloudFront, own, vpc } from './contexts.ts';
import { direct, edge, inside, only, plain, told, tuned } from './edge-template.ts';
import { appNode, ofType, reference, roleOf } from './synthesized.ts';

const outputs = ({ services }: { services: Template }): Loose => services.toJSON().Outputs;
describe('missing options', () => {
  it('[cloud.edge] nothing is created by default: no edge stack, no host names, no VPC', () => {
    expect(plain.edge).toBeUndefined();
    for (const type of ['AWS::ApiGateway::DomainName', 'AWS::EC2::VPCEndpoint', 'AWS::WAFv2::WebACL'])
      expect(only(plain.services, type)).toEqual([]);
    expect(told(plain.services).BEHIND_EDGE).toBeUndefined();
    for (const api of only(plain.services, 'AWS::ApiGateway::RestApi'))
      expect([api.DisableExecuteApiEndpoint, api.EndpointConfiguration.Types]).toEqual([undefined, ['REGIONAL']]);
  });
});
describe('[cloud.own-hosts] custom host names', () => {
  it('every surface is served at the root of its host, with TLS 1.3 and the regional certificate', () => {
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

  it("are in functions and outputs, and the APIs' own names are switched off", () => {
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
    // Tokens are sent to connections through the API's own name.
    expect(reference(told(direct.services, 'ws-worker').CONNECTIONS_URL)).toMatch(/\.execute-api\./);
  });

  it('[approval.url] browsers are directed to the console, which only CloudFront serves', () => {
    const consoleOf = ({ services }: { services: Template }) => told(services).CONSOLE_URL;
    expect([edge, direct, inside, plain].map(consoleOf)).toEqual([
      'https://admin.gateway.example.com/console/',
      ...[undefined, undefined, undefined],
    ]);
  });

  it('host names have DNS records in the given zone, and none without a zone', () => {
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

  it('serves each host over HTTP/3 and TLS 1.3, with the us-east-1 certificate', () => {
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

  it('neither caches nor compresses responses, and forwards every method and every header except Host', () => {
    for (const { DefaultCacheBehavior } of made) {
      expect(DefaultCacheBehavior).toMatchObject({
        Compress: false,
        CachePolicyId: '4135ea2d-6df8-44a3-9df3-4b5a84be39ad',
        OriginRequestPolicyId: 'b689b0a8-53d0-40ab-baf2-68738e2966ac',
        ViewerProtocolPolicy: 'https-only',
      });
      expect(DefaultCacheBehavior.AllowedMethods.toSorted()).toEqual(
        'DELETE GET HEAD OPTIONS PATCH POST PUT'.split(' '),
      );
    }
  });

  it("never serves one caller's refusal to another, because errors are not cached either", () => {
    for (const { CustomErrorResponses } of made) {
      const kept = CustomErrorResponses.map(({ ErrorCode }: Loose) => ErrorCode);
      expect(kept).toEqual(expect.arrayContaining([400, 403, 404, 405, 500, 502, 503, 504]));
      for (const error of CustomErrorResponses)
        expect(error).toEqual({ ErrorCode: error.ErrorCode, ErrorCachingMinTTL: 0 });
    }
  });

  it('waits at least two minutes for a response, and identifies itself to the APIs with a secret that appears in no template', () => {
    for (const { Origins } of made) {
      for (const origin of Origins.filter((one: Loose) => !one.S3OriginConfig))
        expect(origin.CustomOriginConfig).toMatchObject({ OriginProtocolPolicy: 'https-only', OriginReadTimeout: 120 });
      const webSocket = Origins.find(({ DomainName }: Loose) => reference(DomainName).includes('WebSocketApi'));
      const [rest] = Origins;
      const [{ HeaderName, HeaderValue }] = rest.OriginCustomHeaders;
      expect(HeaderName).toBe('x-gateway-origin');
      // The WebSocket API cannot require the header, so it is not sent there.
      expect(webSocket?.OriginCustomHeaders).toBeUndefined();
      expect(reference(HeaderValue)).toMatch(/^\{\{resolve:secretsmanager:\{OriginSecret\w+\}:SecretString:::\}\}$/);
    }
    const [{ DistributionConfig }] = only(tuned.edge!, 'AWS::CloudFront::Distribution') as [Loose];
    expect(DistributionConfig.Origins[0].CustomOriginConfig.OriginReadTimeout).toBe(180);
  });

  it('routes /v1/ws to the WebSocket API stage, and everything else to a REST API stage', () => {
    const { Origins, CacheBehaviors } = of('api');
    expect(CacheBehaviors.map(({ PathPattern }: Loose) => PathPattern)).toEqual(['/v1/ws']);
    expect(Origins.map(({ OriginPath }: Loose) => OriginPath)).toEqual(['/gateway', undefined]);
    expect(outputs(edge).WebSocketUrl.Value).toBe('wss://api.gateway.example.com/v1/ws');
    expect(told(edge.services)).toMatchObject({ MCP_URL: 'https://mcp.gateway.example.com', BEHIND_EDGE: 'on' });
  });

  it("[cloud.edge] replaces a caller's claims about its address and host", () => {
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

  it('accepts a CloudFront web ACL managed by the operator', () => {
    for (const { DistributionConfig } of only(tuned.edge!, 'AWS::CloudFront::Distribution'))
      expect(DistributionConfig.WebACLId).toBe(`arn:aws:wafv2:us-east-1:${account}:global/webacl/mine/0a1b`);
    for (const { WebACLId } of made) expect(WebACLId).toBeUndefined();
  });
});
describe('[cloud.firewall] a VPC for upstream servers', () => {
  const callers = [
    ...['approval-steps', 'chat-completions', 'credentials', 'federation-poll', 'mcp', 'messages'],
    ...['notify', 'sweep', 'test-action', 'ws-worker'],
  ];
  const attached = Object.values(ofType(inside.services, 'AWS::Lambda::Function')).filter(
    ({ Properties: { VpcConfig } }) => VpcConfig?.SecurityGroupIds[0] === 'sg-0a1b2c3d',
  );

  it('contains only the functions that call those servers', () => {
    expect(attached.map(({ Properties }) => Properties.FunctionName).sort()).toEqual(
      callers.map((name) => `agent-governance-${name}`),
    );
    for (const { Properties } of attached)
      expect(Properties.VpcConfig.SubnetIds).toEqual(['subnet-0a1b2c3d', 'subnet-0a1b2c3e']);
  });

  it('[cloud.least-privilege] gives its functions the rights Lambda needs for network interfaces, and denies these rights to their code', () => {
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

  it('gets VPC endpoints on request', () => {
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
describe('options that contradict each other or require another option', () => {
  it.each([
    [{ edge: 'on' }, '"edge=on" needs "domain"'],
    [{ ...own, edge: 'on' }, '"edge=on" needs "edgeCertificate"'],
    [{ ...cloudFront, edgeCertificate: own.certificate }, '"edgeCertificate" must contain ARNs of acm'],
    [{ domain: 'gateway.example.com' }, '"domain" needs "certificate"'],
    [{ ...own, domain: 'https://gateway.example.com' }, '"domain" must be one domain'],
    [{ ...own, domain: 'a.example.com,b.example.com' }, '"domain" must be one domain'],
    [{ adminCidrs: '0.0.0.0/0' }, '"adminCidrs" must contain networks'],
    [{ adminCidrs: '203.0.113.300/24' }, '"adminCidrs" must contain networks'],
    [{ admin: 'private' }, '"admin=private" needs "vpcId"'],
    [{ ...vpc, admin: 'private' }, 'in "adminCidrs" the networks'],
    [{ vpcId: 'vpc-0a1b2c3d' }, 'belong together'],
    [{ subnetIds: 'subnet-0a1b2c3d' }, 'belong together'],
    [{ ...vpc, vpcEndpoints: 'on' }, 'needs "routeTableIds"'],
    [{ ...vpc, subnetIds: 'mine' }, '"subnetIds" must be subnets'],
    [{ ...cloudFront, edgeReadTimeoutSeconds: 30 }, 'must be a whole number from 60'],
    [{ stage: 'emulator', firewall: 'on' }, 'need AWS'],
    [{ stage: 'emulator', ...vpc }, 'needs AWS'],
  ])('refuses %j', (context, message) => {
    expect(() => readSettings(appNode(context))).toThrow(message);
  });
});
