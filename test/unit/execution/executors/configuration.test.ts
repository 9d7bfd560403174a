/** Executors of a configuration: none by default, and one instance per configuration. */

import { executorsFrom, executorsOf } from '#core/execution/executors/executors.ts';
import type { ExecutorPorts } from '#core/execution/executors/ports.ts';
import { configured, envelopeOf, noClients } from '../../../support/executor-cases.ts';

const never = () => Promise.reject(new Error('not asked for'));
const ports: ExecutorPorts = {
  secrets: { get: async () => undefined },
  ...noClients,
  ...{ http: never, shell: never, postgres: never, dataApi: never },
};
const everything = {
  upstreams: { http: [{ name: 'billing', base_url: 'https://billing.test' }] },
  executors: {
    git: { enabled: true },
    sql: { databases: [{ name: 'shop', host: 'db.test', database: 'shop' }] },
    shell: { enabled: true, allowed_binaries: ['ls'] },
  },
};
const names = (configuration: object, given = ports) =>
  executorsFrom(configured(configuration), given).map(({ name }) => name);

test('nothing is carried out unless it is configured', () => {
  expect(names({})).toEqual([]);
  expect(names({ executors: { shell: { allowed_binaries: ['ls'] }, git: { api_url: 'https://git.test' } } })).toEqual(
    [],
  );
  expect(names(everything)).toEqual(['http', 'git', 'sql', 'shell']);
});

test('a function without clients executes nothing', () => {
  const executors = executorsFrom(configured(everything), { ...noClients, secrets: ports.secrets });
  const call = envelopeOf('sql', 'sql.query', 'shop', 'read', { sql: 'SELECT 1' });
  expect(executors.filter((executor) => executor.handles(call))).toEqual([]);
  expect(executors.map(({ name }) => name)).toEqual(['sql']);
});

test('a configuration keeps its executors', () => {
  const of = executorsOf(ports);
  const configuration = configured(everything);
  expect(of(configuration)).toBe(of(configuration));
  expect(of(configured(everything))).not.toBe(of(configuration));
});

describe('calls find their executor', () => {
  const executors = executorsFrom(configured(everything), ports);
  const handled = (protocol: string, tool: string, target: string, parameters = {}) =>
    executors.find((each) => each.handles(envelopeOf(protocol, tool, target, 'read', parameters)))?.name;

  test.each([
    ['http', 'http.get', 'https://billing.test/x', 'http'],
    ['http', 'http.get', 'HTTPS://BILLING.test:443/x', 'http'],
    ['http', 'http.get', 'billing/x', 'http'],
    ['http', 'billing.get', '/x', 'http'],
    ['HTTP', 'http.get', 'billing', 'http'],
    ['http', 'http.get', 'https://other.test/x', undefined],
    ['http', 'http.get', 'http://billing.test/x', undefined],
    ['http', 'http.get', 'https://billing.test:444/x', undefined],
    ['http', 'http.get', 'https://billing.test.evil.test/x', undefined],
    ['http', 'http.get', 'https://billing.test@evil.test/x', undefined],
    ['http', 'http.get', '/x', undefined],
    ['http', 'other.get', '/x', undefined],
    ['http', 'get', '/x', undefined],
    ['git', 'scm.get_file_contents', 'acme/web', 'git'],
    ['git', 'scm.delete_repo', 'acme/web', undefined],
    ['git', 'constructor', 'acme/web', undefined],
    ['sql', 'sql.query', 'shop', 'sql'],
    ['shell', 'shell.ls', '', 'shell'],
    ['mcp', 'scm.get_file_contents', 'acme/web', undefined],
    ['http', 'http.get', '\ud800', undefined],
  ])('%s %s on %s', (protocol, tool, target, name) => {
    expect(handled(protocol, tool, target)).toBe(name);
  });
});

describe('the configuration is checked', () => {
  test.each([
    [{ executors: { sql: { databases: [{ name: 'a' }] } } }],
    [{ executors: { sql: { databases: [{ name: 'a', host: 'h', url_env: 'A_URL', database: 'd' }] } } }],
    [{ executors: { sql: { databases: [{ name: 'a', host: 'h' }] } } }],
    [
      {
        executors: {
          sql: {
            databases: [{ name: 'a', database: 'd', resource_arn: 'arn:aws:rds:eu-west-1:123456789012:cluster:c' }],
          },
        },
      },
    ],
    [{ executors: { shell: { allowed_binaries: ['/bin/ls'] } } }],
    [{ executors: { shell: { allowed_binaries: ['..'] } } }],
    [{ executors: { shell: { working_directory: 'relative' } } }],
    [{ executors: { shell: { env: ['AWS_SECRET_ACCESS_KEY'] } } }],
    [{ executors: { shell: { env: ['GATEWAY_ADMIN_TOKEN'] } } }],
    [{ executors: { shell: { env: ['LD_PRELOAD'] } } }],
    [{ executors: { shell: { env: ['PATH'] } } }],
    [{ upstreams: { http: [{ name: 'a', base_url: 'https://a.test', allowed_methods: ['TRACE'] }] } }],
    [{ upstreams: { http: [{ name: 'a', base_url: 'https://a.test', allowed_headers: ['authorization'] }] } }],
    [{ upstreams: { http: [{ name: 'a', base_url: 'https://a.test', allowed_headers: ['x-forwarded-host'] }] } }],
    [{ upstreams: { http: [{ name: 'a', base_url: 'https://a.test', credential: { header: 'x y' } }] } }],
  ])('%j is refused', (sections) => {
    expect(() => configured(sections)).toThrow();
  });
});
