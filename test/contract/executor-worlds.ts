/** Each executor against a real service of its kind. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { httpExchange } from '#adapters/executors/http-exchange.ts';
import { postgresTransaction } from '#adapters/executors/postgres.ts';
import { commandRunner } from '#adapters/executors/run-command.ts';
import type { ActionEnvelope } from '#core/contracts/envelope.ts';
import type { IssuedCredential } from '#core/execution/credentials/ports.ts';
import { type ExecutorConfiguration, executorsFrom } from '#core/execution/executors/executors.ts';
import type { Executor } from '#core/execution/executors/ports.ts';
import { shellWords } from '#core/execution/executors/shell-words.ts';
import { configured, credentialOf, envelopeOf, fakeRepositoryHost, until } from '../support/executor-cases.ts';
import { type Behaviour, fakeHttpService } from '../support/fake-http-service.ts';
import { postgresPrograms, startPostgres } from '../support/postgres.ts';

export interface Case {
  readonly executor: Executor;
  readonly credential: IssuedCredential;
  readonly needsCredential: boolean;
  /** A call that succeeds. */
  readonly good: ActionEnvelope;
  /** The same call with an upstream that returns the credential in its response and in an error. */
  readonly echo: ActionEnvelope;
  readonly echoedError: ActionEnvelope;
  /** Calls that go beyond the scope of the decision. */
  readonly broader: readonly ActionEnvelope[];
  /** A call whose response exceeds the limit. */
  readonly large: ActionEnvelope;
  /** A call that hangs until it is cancelled; `underWay` resolves when the upstream has received it. */
  readonly hanging: ActionEnvelope;
  underWay(): Promise<unknown>;
  /** Indicates that the cancelled call may have changed something. */
  readonly hangingChanges: boolean;
  /** Returns the number of requests the upstream has received. */
  asked?(): number;
  stop(): Promise<unknown>;
}

export const made = (configuration: ExecutorConfiguration, secrets: Record<string, string> = {}): Executor => {
  const [executor] = executorsFrom(configuration, {
    secrets: { get: async (name) => secrets[name] },
    dataApi: undefined,
    http: httpExchange(),
    postgres: postgresTransaction,
    shell: commandRunner(),
    shellWords: async (line) => shellWords(line),
    commandSlots: undefined,
  });
  return executor!;
};

export const cases: Record<string, () => Promise<Case>> = {
  async http() {
    const service = await fakeHttpService(({ path, headers }): Behaviour => {
      if (path === '/v1/hang') return 'hang';
      if (path === '/v1/fail') return { status: 400, body: { message: `no: ${headers.authorization}` } };
      if (path === '/v1/large') return { body: 'x'.repeat(5000) };
      return { body: { told: headers.authorization, set: 'x' } };
    });
    const base = { name: 'billing', base_url: `${service.url}/v1`, allow_private: true, max_response_bytes: 1000 };
    const call = (tool: string, target: string, parameters = {}) =>
      envelopeOf('http', tool, target, tool.endsWith('get') ? 'read' : 'write', parameters);
    const entry = {
      ...base,
      allowed_methods: ['GET', 'POST'],
      allowed_paths: ['/{invoices,hang,fail,large}{,/**}'],
      credential: { required: true },
    };
    return {
      executor: made(configured({ upstreams: { http: [entry] } })),
      credential: credentialOf('http-secret-0123456789'),
      needsCredential: true,
      good: call('http.get', `${service.url}/v1/invoices/7`),
      echo: call('billing.get', '/invoices/7'),
      echoedError: call('billing.get', '/fail'),
      broader: [
        call('billing.get', '/admin'),
        call('billing.get', '/invoices/../admin'),
        call('billing.get', '/invoices/%2e%2e/admin'),
        call('billing.get', '/invoices/..%2fadmin'),
        call('billing.get', '/invoices//admin'),
        call('billing.get', '/invoices/..;/admin'),
        call('billing.delete', '/invoices/7'),
        call('billing.get', `http://127.0.0.1:1/v1/invoices`),
        call('billing.get', 'billing', { url: `${service.url}/v1/admin` }),
        call('billing.get', '/invoices/7', { url: `${service.url}/v1/invoices/8` }),
        call('billing.get', '/invoices/7', { headers: { host: 'elsewhere.test' } }),
        call('billing.get', '/invoices/7', { headers: { 'X-HTTP-Method-Override': 'DELETE' } }),
        call('billing.get', '/invoices/7', { follow: true }),
      ],
      large: call('billing.get', '/large'),
      hanging: call('billing.post', '/hang', { json: {} }),
      underWay: () => service.arrived(),
      hangingChanges: true,
      asked: () => service.asked.length,
      stop: service.stop,
    };
  },

  async git() {
    const secret = 'ghs_abcdefghijklmnopqrstuvwxyz0123456789';
    const host = await fakeRepositoryHost(({ method, path }): Behaviour | undefined => {
      if (path.includes('/contents/bad')) return { status: 422, body: { message: `bad token ${secret}` } };
      if (path.includes('/branches')) return { body: [{ name: 'x'.repeat(5000), commit: { sha: 'a' } }] };
      return method === 'POST' ? 'hang' : undefined;
    });
    const call = (tool: string, parameters: Record<string, unknown> = {}, target = 'acme/web') =>
      envelopeOf('git', tool, target, 'read', parameters);
    const executor = made(
      configured({
        executors: { git: { enabled: true, allow_private: true, max_response_bytes: 2000 } },
        credentials: {
          brokers: [{ name: 'scm', type: 'scm_app', app_id: '1', private_key_env: 'APP_KEY', api_url: `${host.url}/` }],
        },
      }),
    );
    return {
      executor,
      credential: credentialOf(secret),
      needsCredential: true,
      good: call('scm.get_file_contents', { path: 'src/a b.ts' }),
      echo: call('scm.get_file_contents', { path: 'echo.txt' }),
      echoedError: call('scm.get_file_contents', { path: 'bad' }),
      broader: [
        call('scm.get_repository', {}, 'acme'),
        call('scm.get_repository', {}, 'acme/..'),
        call('scm.get_repository', {}, 'acme/web/../../orgs'),
        call('scm.get_repository', {}, 'acme/web?x'),
        call('scm.get_repository', { owner: 'acme', repo: 'api' }),
        call('scm.get_file_contents', { path: '../../../user' }),
        call('scm.get_file_contents', { path: 'a/%2e%2e/b' }),
        call('scm.create_branch', { branch: 'refs/heads/main' }),
        call('scm.create_branch', { branch: 'a/../../b' }),
        call('scm.create_pull_request', { title: 't', head: 'h', base: 'main', repository: 'acme/api' }),
      ],
      large: call('scm.list_branches'),
      hanging: call('scm.create_pull_request', { title: 'Fix', head: 'fix', base: 'main' }),
      underWay: () => host.arrived(),
      hangingChanges: true,
      asked: () => host.asked.length,
      stop: host.stop,
    };
  },

  async shell() {
    const folder = mkdtempSync(join(tmpdir(), 'gateway-executor-'));
    const shell = {
      enabled: true,
      working_directory: folder,
      max_output_bytes: 1000,
      allowed_binaries: ['echo', 'sh', 'env', 'seq'],
      contained: false, // test/contract/containment.test.ts contains them
    };
    const secret = 'shell-secret-0123456789';
    const call = (argv: string[], parameters = {}) =>
      envelopeOf('shell', 'shell.run', '', 'execute', { argv, ...parameters });
    return {
      executor: made(configured({ executors: { shell } })),
      credential: credentialOf(secret),
      needsCredential: false,
      good: call(['echo', 'hello']),
      echo: call(['echo', secret, Buffer.from(secret).toString('base64')]),
      echoedError: call(['echo', secret], { cwd: `${secret}` }),
      broader: [
        call(['rm', '-rf', '/']),
        call(['/bin/echo', 'x']),
        call(['./echo']),
        call(['../../bin/echo']),
        call(['echo'], { cwd: '..' }),
        call(['echo'], { cwd: '/etc' }),
        call(['echo'], { env: { PATH: '/tmp' } }),
        call(['echo', 'a\0b']),
        envelopeOf('shell', 'shell.pytest', '', 'execute', { argv: ['echo'] }),
        envelopeOf('shell', 'shell.run', '', 'execute', { command: 'echo a; echo b' }),
        envelopeOf('shell', 'shell.run', '', 'execute', { command: 'echo a > b' }),
        envelopeOf('shell', 'shell.run', '', 'execute', { command: 'echo $HOME' }),
        envelopeOf('shell', 'shell.run', '', 'execute', { command: 'echo *' }),
        envelopeOf('shell', 'shell.run', '', 'execute', { command: 'X=1 echo' }),
        envelopeOf('shell', 'shell.run', '', 'execute', {}),
      ],
      large: call(['seq', '1', '5000']),
      hanging: call(['sh', '-c', 'touch started; sleep 600']),
      underWay: async () => {
        const { existsSync } = await import('node:fs');
        await until(() => existsSync(join(folder, 'started')));
      },
      hangingChanges: true,
      stop: async () => rmSync(folder, { recursive: true, force: true }),
    };
  },

  async sql() {
    const server = await startPostgres();
    const database = { name: 'shop', host: server.host, port: server.port, database: 'postgres', tls: 'off' };
    const executor = made(
      configured({ executors: { sql: { databases: [database], max_rows: 50, max_result_bytes: 2000 } } }),
    );
    const credential = credentialOf(JSON.stringify({ username: server.user, password: server.password }));
    const call = (sql: string, capability = 'read', parameters = {}, target = 'shop') =>
      envelopeOf('sql', 'sql.query', target, capability, { sql, ...parameters });
    await executor.execute(call('CREATE TABLE items (id int PRIMARY KEY, name text)', 'write'), credential);
    await executor.execute(
      call("INSERT INTO items SELECT n, 'name ' || n FROM generate_series(1, 200) n", 'write'),
      credential,
    );
    return {
      executor,
      credential,
      needsCredential: true,
      good: call('SELECT id, name FROM items WHERE id = $1', 'read', { parameters: [7] }),
      echo: call(`SELECT '${server.password}' AS told, 'x' AS y`),
      echoedError: call(`SELECT '${server.password}'::int`),
      broader: [
        call('DELETE FROM items'),
        call('WITH gone AS (DELETE FROM items RETURNING id) SELECT * FROM gone'),
        call("SELECT nextval('s') FROM (SELECT 1) x; DELETE FROM items"),
        call('COMMIT', 'write'),
        call("SELECT set_config('transaction_read_only', 'off', true)"),
        call('SET TRANSACTION READ WRITE'),
        call("COPY items TO PROGRAM 'cat'", 'execute'),
        call('SELECT 1', 'read', { database: 'other' }),
        call('SELECT 1', 'read', {}, 'postgres://elsewhere.test/shop'),
        call('SELECT 1', 'read', {}, '10.0.0.1:5432'),
        call('SELECT 1', 'read', { query: 'DELETE FROM items' }),
        envelopeOf('sql', 'sql.delete', 'items', 'delete', {}),
        envelopeOf('sql', 'sql.delete', 'items; DROP TABLE items', 'delete', { where: { id: 1 } }),
      ],
      large: call('SELECT * FROM items'),
      hanging: call('SELECT pg_sleep(600)'),
      underWay: () =>
        until(async () => {
          const sleeping = call(
            "SELECT 1 FROM pg_stat_activity WHERE state = 'active' AND query = 'SELECT pg_sleep(600)'",
          );
          return ((await executor.execute(sleeping, credential)) as { rows: unknown[] }).rows.length > 0;
        }),
      hangingChanges: false,
      stop: server.stop,
    };
  },
};

export const available = (name: string) => name !== 'sql' || postgresPrograms !== undefined;
