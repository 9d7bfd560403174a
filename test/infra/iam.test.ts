/** The API for callers with IAM credentials: an authoriser for every method; the other APIs are unchanged. */
import { liveReference, ofType, type Resources, reference, synthesize } from './synthesized.ts';

const { services, watch, edge } = synthesize({ iamCallers: 'on', firewall: 'on' });
const plain = synthesize().services;

const methodsOf = (template: typeof services) => {
  const resources: Resources = ofType(template, 'AWS::ApiGateway::Resource');
  const apis = ofType(template, 'AWS::ApiGateway::RestApi');
  const pathOf = (id: string): string => {
    const resource = resources[id];
    return resource ? `${pathOf(resource.Properties.ParentId.Ref)}/${resource.Properties.PathPart}` : '';
  };
  return Object.values(ofType(template, 'AWS::ApiGateway::Method')).map(({ Properties }) => ({
    api: apis[Properties.RestApiId.Ref]!.Properties.Name as string,
    call: `${Properties.HttpMethod} ${pathOf(Properties.ResourceId.Ref)}`,
    authorization: Properties.AuthorizationType as string,
    uri: reference(Properties.Integration.Uri),
  }));
};

test('[identity.aws-callers] every method of the IAM API requires IAM authorization, and the API has no open paths', () => {
  const methods = methodsOf(services).filter(({ api }) => api === 'agent-governance-iam');
  const calls = methods.map(({ call }) => call);
  expect(new Set(methods.map(({ authorization }) => authorization))).toEqual(new Set(['AWS_IAM']));
  expect(calls).toEqual(
    expect.arrayContaining([
      ...['POST /v1/chat/completions', 'POST /v1/messages', 'POST /mcp', 'POST /admin/v1/test-action'],
    ]),
  );
  expect(calls.filter((call) => /health|well-known|OPTIONS|approvals|config$/.test(call))).toEqual([]);
  const chat = methods.find(({ call }) => call === 'POST /v1/chat/completions');
  expect(chat?.uri).toContain(liveReference(services, 'chat-completions'));
  expect(Object.keys(services.findOutputs('IamUrl'))).toEqual(['IamUrl']);
});

test('[identity.aws-callers] the key-based APIs have no authorizer and the same methods; without the option, there is no IAM API', () => {
  const others = methodsOf(services).filter(({ api }) => api !== 'agent-governance-iam');
  expect(new Set(others.map(({ authorization }) => authorization))).toEqual(new Set(['NONE']));
  const names = (methods: readonly { api: string; call: string }[]) =>
    methods.map(({ api, call }) => `${api} ${call}`).sort();
  expect(names(methodsOf(plain))).toEqual(names(others));
});

test('[identity.aws-callers] the IAM API has an alarm, and its own web ACL without the CloudFront rule', () => {
  expect(JSON.stringify(ofType(watch, 'AWS::CloudWatch::Alarm'))).toContain('iam-5xx');
  const acl = Object.values(ofType(edge!, 'AWS::WAFv2::WebACL')).find(
    ({ Properties }) => Properties.Name === 'agent-governance-iam-callers',
  );
  const rules = acl?.Properties.Rules.map(({ Name }: { Name: string }) => Name);
  expect(rules).toContain('rate');
  expect(rules).not.toContain('origin');
});
