import { lambdaLimits } from '#core/contracts/host-limits.ts';
import { loadConfiguration } from '#features/load-configuration.ts';
import { base, packs } from './memory.ts';

const load = (extra: string, host = true) =>
  loadConfiguration(base(extra), { packs, ...(host && { host: lambdaLimits }) });

const http = (ms: number) => `upstreams: { http: [{ name: billing, base_url: "https://b.test", timeout_ms: ${ms} }] }`;
const mcp = (ms: number) => `upstreams: { mcp: [{ name: files, url: "https://m.test/mcp", timeout_ms: ${ms} }] }`;
const sql = (ms: number) =>
  `executors: { sql: { databases: [{ name: app, host: db.test, database: app, statement_timeout_ms: ${ms} }] } }`;
const git = (ms: number, enabled = true) => `executors: { git: { enabled: ${enabled}, timeout_ms: ${ms} } }`;
const shell = (ms: number) => `executors: { shell: { enabled: true, timeout_ms: ${ms} } }`;

describe('[config.contradictions] on AWS Lambda', () => {
  test.each([
    ['HTTP services', http, 280_000, 'upstreams.http[0].timeout_ms'],
    ['MCP servers', mcp, 880_000, 'upstreams.mcp[0].timeout_ms'],
    ['databases', sql, 280_000, 'executors.sql.databases[0].statement_timeout_ms'],
    ['the Git host', git, 280_000, 'executors.git.timeout_ms'],
    ['commands', shell, 50_000, 'executors.shell.timeout_ms'],
  ])(
    'the timeout for %s may be as long as the function allows, but not a millisecond longer',
    async (_, extra, most, path) => {
      await expect(load(extra(most))).resolves.toBeDefined();
      await expect(load(extra(most + 1))).rejects.toThrow(
        new RegExp(`${path.replaceAll(/[[\].]/g, '\\$&')} .*found ${most + 1} ms, allowed at most ${most} ms`),
      );
    },
  );

  test('the time an approval is held is subtracted from the allowed time', async () => {
    const hold = 'approvals: { hold_seconds: 50 }\n';
    await expect(load(hold + http(230_000))).resolves.toBeDefined();
    await expect(load(hold + http(230_001))).rejects.toThrow(
      'found 230001 ms after approvals.hold_seconds of 50 (50000 ms), allowed at most 280000 ms together on AWS Lambda, so at most 230000 ms here',
    );
  });

  test('disabled sections are not checked; on other hosts only the schema is checked', async () => {
    await expect(load(git(900_000, false))).resolves.toBeDefined();
    await expect(load(http(900_000), false)).resolves.toBeDefined();
  });
});
