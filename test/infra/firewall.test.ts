/** The web ACLs, and an admin API in a VPC. */
import type { Template } from 'aws-cdk-lib/assertions';
import type { Loose } from '../support/loose.ts';
import { direct, edge, inside, newVersion, oldVersion, only, told, tuned } from './edge-template.ts';
import { reference } from './synthesized.ts';

describe('[cloud.firewall] the web ACLs', () => {
  const acl = (template: Template, name: string): Loose =>
    only(template, 'AWS::WAFv2::WebACL').find(({ Name }) => Name === `agent-governance-${name}`) as Loose;
  const rules = (template: Template, name = 'callers'): string[] =>
    acl(template, name).Rules.map(({ Name }: Loose) => Name);
  const rule = (template: Template, name: string, at = 'callers'): Loose =>
    acl(template, at).Rules.find(({ Name }: Loose) => Name === name);

  it('every REST API stage is protected', () => {
    for (const { edge: template } of [edge, direct]) {
      const stages = only(template!, 'AWS::WAFv2::WebACLAssociation').map(({ ResourceArn }) => reference(ResourceArn));
      expect(new Set(stages).size).toBe(4);
      for (const stage of stages)
        expect(stage).toMatch(/:apigateway:\{Region\}::\/restapis\/.*Api.*\/stages\/gateway$/);
    }
  });

  it('[cloud.edge] the first rule refuses calls that did not come through CloudFront', () => {
    for (const name of ['callers', 'admin']) expect(rules(edge.edge!, name)[0]).toBe('origin');
    const { Statement, Action, Priority } = rule(edge.edge!, 'origin');
    expect([Action, Priority]).toEqual([{ Block: {} }, 0]);
    const match = Statement.NotStatement.Statement.ByteMatchStatement;
    expect(match.FieldToMatch).toEqual({ SingleHeader: { Name: 'x-gateway-origin' } });
    expect(match.PositionalConstraint).toBe('EXACTLY');
    expect(reference(match.SearchString)).toMatch(/^\{\{resolve:secretsmanager:/);
    expect(rules(direct.edge!)).not.toContain('origin');
  });

  it('[cloud.edge] both the old and the new value are accepted during a rotation, and the first one is sent', () => {
    const taken = rule(tuned.edge!, 'origin').Statement.NotStatement.Statement.OrStatement.Statements;
    expect(taken.map(({ ByteMatchStatement }: Loose) => reference(ByteMatchStatement.SearchString))).toEqual(
      [oldVersion, newVersion].map((version) => expect.stringContaining(version)),
    );
    const [{ DistributionConfig }] = only(tuned.edge!, 'AWS::CloudFront::Distribution') as [Loose];
    expect(reference(DistributionConfig.Origins[0].OriginCustomHeaders[0].HeaderValue)).toContain(oldVersion);
  });

  it("calls are counted by caller address, and excess calls get a 429 in the contract's format", () => {
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

  it('no request body is blocked, because prompts, SQL and shell text are legitimate here', () => {
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
    // Rule groups for SQL, shells and the like only inspect bodies.
    expect(rules(direct.edge!).filter((name) => name.startsWith('AWSManagedRules'))).toEqual([
      ...['AWSManagedRulesAmazonIpReputationList', 'AWSManagedRulesCommonRuleSet'],
      'AWSManagedRulesKnownBadInputsRuleSet',
    ]);
  });

  it('no request is stored, because headers contain keys', () => {
    for (const { VisibilityConfig, Rules } of only(edge.edge!, 'AWS::WAFv2::WebACL'))
      for (const { SampledRequestsEnabled } of [VisibilityConfig, ...Rules.map((one: Loose) => one.VisibilityConfig)])
        expect(SampledRequestsEnabled).toBe(false);
    expect(only(edge.edge!, 'AWS::WAFv2::LoggingConfiguration')).toEqual([]);
  });

  it('only the named networks can call the admin API, and all networks can call the other APIs', () => {
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
});
describe('[cloud.firewall] an admin API in a VPC', () => {
  const apis = only(inside.services, 'AWS::ApiGateway::RestApi');
  const admin = apis.find(({ Name }) => Name === 'agent-governance-admin') as Loose;

  it('accepts calls only from its own endpoint; the other APIs are unchanged', () => {
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

  it('has a host name made of the API and endpoint ids, and is reachable from the given networks', () => {
    expect(reference(told(inside.services).ADMIN_URL)).toMatch(
      /^https:\/\/\{AdminApi\w+\}-\{PrivateAdminEndpoint\w*\.Id\}\.execute-api\.\{Region\}\.\{URLSuffix\}\/gateway$/,
    );
    const groups = only(inside.services, 'AWS::EC2::SecurityGroup');
    const callers = groups.find(({ GroupDescription }) => GroupDescription.includes('admin API')) as Loose;
    expect(callers.SecurityGroupIngress).toEqual([
      { CidrIp: '10.0.0.0/8', FromPort: 443, IpProtocol: 'tcp', ToPort: 443 },
    ]);
  });

  it('has neither a distribution nor a web ACL', () => {
    const made = only(inside.edge!, 'AWS::CloudFront::Distribution');
    expect(made.map(({ DistributionConfig }) => DistributionConfig.Aliases[0]).sort()).toEqual(
      ['api', 'callbacks', 'edge', 'mcp'].map((label) => `${label}.gateway.example.com`),
    );
    expect(only(inside.edge!, 'AWS::WAFv2::WebACLAssociation')).toHaveLength(3);
  });
});
