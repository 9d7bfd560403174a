/** Data planes on AWS: the schedule and the token's secret, which exist only there. */
import type { Template } from 'aws-cdk-lib/assertions';
import { functions } from '#features/functions.ts';
import { ofType, synthesize } from '../../../test/infra/synthesized.ts';

const on = synthesize({ dataPlane: 'on' });
const off = synthesize();

const rules = (template: Template) =>
  Object.values(ofType(template, 'AWS::Events::Rule')).map(({ Properties }) => Properties.Description);
const secrets = (template: Template) =>
  Object.values(ofType(template, 'AWS::SecretsManager::Secret')).map(({ Properties }) => Properties.Name);

test('[federation.on-aws] a data plane has a schedule and a secret for its token; other deployments have neither', () => {
  expect(rules(on.services)).toContain(functions['federation-poll'].purpose);
  expect(secrets(on.stores)).toContain('agent-governance/federation');
  expect(rules(off.services)).not.toContain(functions['federation-poll'].purpose);
  expect(secrets(off.stores)).not.toContain('agent-governance/federation');
});

test('[federation.token] the routes for data planes share one function, which may sign and read its documents', () => {
  const { federation } = functions;
  expect(federation).toMatchObject({ signs: true, objects: 'read', tables: { config: 'get', observations: 'put' } });
  expect(Object.keys(federation.tables).sort()).toEqual('config evidence federation observations sessions'.split(' '));
});
