/** Configured executors: none by default, and one instance per configuration. */

import * as z from 'zod';
import { executorsFrom, executorsOf } from '#core/execution/executors/executors.ts';
import type { ExecutorPorts } from '#core/execution/executors/ports.ts';
import { configured, envelopeOf, noClients } from '../../../support/executor-cases.ts';
import { object, orUndefined, readCases, rows, text } from '../../../support/yaml.ts';

const { calls, refused } = readCases(
  'test/unit/execution/executors/configuration.yaml',
  z.strictObject({ calls: rows(text, text, text, orUndefined(text)), refused: rows(object) }),
);

const never = () => Promise.reject(new Error('not asked for'));
const ports: ExecutorPorts = {
  secrets: { get: async () => undefined },
  ...noClients,
  http: never,
  shell: never,
  postgres: never,
  dataApi: never,
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

test('no calls are executed unless an executor is configured', () => {
  expect(names({})).toEqual([]);
  expect(names({ executors: { shell: { allowed_binaries: ['ls'] }, git: { api_url: 'https://git.test' } } })).toEqual(
    [],
  );
  expect(names(everything)).toEqual(['http', 'git', 'sql', 'shell']);
});

test('a function without clients executes no calls', () => {
  const executors = executorsFrom(configured(everything), { ...noClients, secrets: ports.secrets });
  const call = envelopeOf('sql', 'sql.query', 'shop', 'read', { sql: 'SELECT 1' });
  expect(executors.filter((executor) => executor.handles(call))).toEqual([]);
  expect(executors.map(({ name }) => name)).toEqual(['sql']);
});

test('the same configuration always gets the same executors', () => {
  const of = executorsOf(ports);
  const configuration = configured(everything);
  expect(of(configuration)).toBe(of(configuration));
  expect(of(configured(everything))).not.toBe(of(configuration));
});

describe('calls are routed to their executor', () => {
  const executors = executorsFrom(configured(everything), ports);
  const handled = (protocol: string, tool: string, target: string, parameters = {}) =>
    executors.find((each) => each.handles(envelopeOf(protocol, tool, target, 'read', parameters)))?.name;

  test.each([...calls, ['http', 'http.get', '\ud800', undefined] as const])(
    '%s %s on %s',
    (protocol, tool, target, name) => {
      expect(handled(protocol, tool, target)).toBe(name);
    },
  );
});

describe('the configuration is validated', () => {
  test.each(refused)('%j is refused', (sections) => {
    expect(() => configured(sections)).toThrow();
  });
});
