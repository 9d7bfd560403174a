/** Guards of the shipped packs: what no rule lifts, and the everyday calls beside it. */
import { readCallEffects } from '#adapters/sql/effect-reader.ts';
import { buildPolicyDocument } from '#core/configuration/load/policy-document.ts';
import type { ToolCall } from '#core/contracts/envelope.ts';
import { guardName, type ToolRule } from '#core/contracts/tool-policy.ts';
import { decideEffects } from '#core/effects/decide-effects.ts';
import { compilePolicy } from '#core/policy/rules/compile.ts';
import { shippedPacks } from '#core/policy/rules/pack.ts';
import { mcp, packs } from './guarded-paths.ts';

const everything: ToolRule = { protocol: '*', tool: '*', decision: 'allow' };
/** Compiled once: a pack has hundreds of patterns, and this file thousands of calls. */
const compiled = new Map<string, ReturnType<typeof compilePolicy>>();
/** A pack with an own rule before it that allows every call. */
function openPolicy(pack: string, disable_guards: string[]): ReturnType<typeof compilePolicy> {
  const key = [pack, ...disable_guards].join(' ');
  const known = compiled.get(key);
  if (known) return known;
  const tool_policies = { pack: packs.get(pack)!, rules: [everything], disable_guards, require_signed: false };
  const policy = compilePolicy(buildPolicyDocument({ tool_policies }));
  compiled.set(key, policy);
  return policy;
}
const decidedOpen = async (pack: string, call: ToolCall, disable_guards: string[] = []) =>
  decideEffects(openPolicy(pack, disable_guards), call, await readCallEffects(call));
const shell = (command: string): ToolCall => ({
  ...{ protocol: 'shell', tool: 'shell.run', target: '', capability: 'execute', parameters: { command } },
});
const parameterNames = (
  'path filepath file_path filePath target_file relative_path absolute_path notebook_path file_name filename name uri src ' +
  'source old_path newPath destination document resource x item input_file'
).split(' ');
const secretPaths = (
  '.env ./.env a/../.env src/.env .ENV .env.local .env.production prod.env .envrc .env. .env~ %2eenv %252eenv ' +
  'src\\.env file:///srv/app/.env //srv//.env ~/.ssh/id_rsa /root/.ssh/authorized_keys C:\\Users\\a\\.ssh\\config ' +
  '~/.codex/auth.json ~/.config/op/config ~/.config/doctl/config.yaml ~/.fly/config.yml ~/Library/Keychains/login.keychain-db ~/.local/share/keyrings/x.keyring ~/.mozilla/firefox/x/logins.json ~/.config/google-chrome/Default/Cookies GIT~1/config /etc/rancher/k3s/k3s.yaml ~/.aws/credentials .npmrc ~/.netrc ~/.pypirc ~/.kube/config kubeconfig k8s/kubeconfig.yaml .git/config ' +
  '.git-credentials terraform.tfstate prod.tfvars config/credentials.json secrets.yml config/SECRETS.YAML secret.yaml ' +
  'gcp-service-account.json .gateway/keys.json .docker/config.json .config/gh/hosts.yml ~/.bash_history .env::$DATA ' +
  '\uff0eenv .e\u200bnv .env.example/../.env .env,.env.example ~/.cargo/credentials.toml ~/.m2/settings.xml .boto ' +
  'secrets.prod.json passwords.txt gcp-key.json client_secret_1.json ENV~1 env~1/x SSH~1/config .git./config'
).split(' ');
const keyPaths = 'server.pem test/fixtures/key.pem app.p12 release.jks server.KEY id_ed25519 keys/id_rsa.bak'.split(
  ' ',
);
const systemPaths =
  '/etc/shadow /etc/passwd /etc/sudoers.d/x etc/../etc/shadow /proc/self/environ /proc/1/environ /proc/1/task/2/environ /proc/kcore /proc/self/fd/3 /dev/sda1 /dev/nvme0n1 /dev/mapper/root /var/lib/kubelet/pods/x/volumes/kubernetes.io~secret/y/token /run/secrets/db /var/run/secrets/x'.split(
    ' ',
  );
const climbing = '.. ../x ../../etc/hosts a/../../x ..\\x ..%2fx'.split(' ');
describe.each(shippedPacks)('[policy.guards] %s', (pack) => {
  const guardOf = async (call: ToolCall): Promise<string> => {
    const { decision, matched_rule } = await decidedOpen(pack, call);
    return decision === 'block' ? matched_rule : decision;
  };

  test.each(parameterNames)(
    'a secret file is blocked under the parameter %s, also in lists and objects',
    async (name) => {
      for (const value of ['.env', ['README.md', '.env'], { deep: [{ [name]: '/srv/.ssh/id_rsa' }] }]) {
        expect([value, await guardOf(mcp({ [name]: value }))]).toEqual([value, 'guard:secret-files']);
      }
    },
  );

  test.each([
    ...secretPaths.map((path) => [path, 'guard:secret-files']),
    ...keyPaths.map((path) => [path, 'guard:key-files']),
    ...systemPaths.map((path) => [path, 'guard:system-files']),
    ...climbing.map((path) => [path, 'guard:climbing-out']),
  ])('%s is blocked by %s as target, parameter and key', async (path, guard) => {
    for (const call of [
      mcp({ path }),
      mcp({ whatever: path }),
      mcp({ file_paths: ['a.md', path] }),
      mcp({ uris: [path] }),
      mcp({ files: { [path]: 'x' } }, 'write_files'),
      mcp({}, 'read_file', path),
      { ...mcp({ path }, 'scm.get_file_contents', 'acme/web'), protocol: 'git' },
      { ...mcp({ path }), protocol: 'of-its-own' },
    ]) {
      expect([call, await guardOf(call)]).toEqual([call, guard]);
    }
  });

  test.each([
    ['cat .env', 'guard:secret-files'],
    ['cat README.md ~/.aws/credentials', 'guard:secret-files'],
    ['head -1 /etc/shadow', 'guard:system-files'],
    ['cp server.pem /tmp/x', 'guard:key-files'],
    ['cat ../other/README.md', 'guard:climbing-out'],
  ])('the line %s is blocked by %s', async (line, guard) => {
    expect(await guardOf(shell(line))).toBe(guard);
    expect(await guardOf(mcp({ command: line }, 'run_command'))).toBe(guard);
  });

  test.each([
    mcp({ pattern: 'KEY', include_pattern: '.env' }, 'grep_search'),
    mcp({ query: 'KEY', includePattern: 'config/.env' }, 'grep_search'),
    mcp({ pattern: 'KEY', glob: '.env' }, 'grep'),
    mcp({ q: 'KEY', file_pattern: '**/.env' }, 'grep'),
  ])('the files a search is narrowed to count: %j', async (call) => {
    expect(await guardOf(call)).toBe('guard:secret-files');
  });

  test.each([
    [{ a: '/etc/sha', b: 'dow' }, 'guard:system-files'],
    [{ first: '/home', middle: 'u/.s', last: 'sh/config' }, 'guard:secret-files'],
    [{ segments: ['home', '.git', 'config'] }, 'guard:secret-files'],
    [{ options: { root: ['/srv'] }, name: 'server.pem' }, 'guard:key-files'],
    [{ path: 'src/', name: 'main.ts' }, 'allow'],
    [{ path: 'docs/a.md', format: 'pem' }, 'allow'],
    [{ path: './config', service: 'web', kind: 'env' }, 'allow'],
  ])('a path in parts under any name: %j becomes %s', async (parameters, becomes) => {
    expect(await guardOf(mcp(parameters))).toBe(becomes);
  });

  test('a parameter beside a command that is read counts, too', async () => {
    expect(await guardOf(mcp({ command: 'ls', cwd: '/root/.ssh' }, 'run_command'))).toBe('guard:secret-files');
    expect(await guardOf(mcp({ command: 'ls', env_file: '.env' }, 'run_command'))).toBe('guard:secret-files');
    expect(await guardOf(mcp({ command: 'cat', args: ['.env'] }, 'run_command'))).toBe('guard:secret-files');
  });

  test.each([
    ['get_secret', 'read'],
    ['getSecretValue', 'read'],
    ['read_db_password', 'read'],
    ['list_credentials', 'read'],
    ['get_api_key', 'read'],
    ['vault.read', 'read'],
    ['show_token', 'read'],
    ['get-env', 'read'],
    ['printEnv', 'read'],
    ['list_env_vars', 'read'],
    ['get_environment_variables', 'read'],
    ['get_kubeconfig', 'read'],
    ['getConnectionString', 'read'],
    ['get_password_hash', 'read'],
    ['get_service_account_key', 'read'],
    ['get_session_cookies', 'read'],
    ['read_vault', 'read'],
    ['list_tokens', 'read'],
    ['get_user_jwt', 'read'],
    ['get_aws_creds', 'read'],
    ['getPasswd', 'read'],
    ['read_dotenv', 'read'],
    ['get_env_file', 'read'],
    ['get_credentials_file', 'read'],
    ['get_vault_item', 'read'],
    ['get_keychain_item', 'read'],
    ['get_1password_item', 'read'],
    ['get_database_url', 'read'],
    ['getRedisUrl', 'read'],
    ['get_sentry_dsn', 'read'],
    ['get_kube_config', 'read'],
    ['get_sas_token', 'read'],
    ['get_auth_header', 'read'],
    ['get_gpg_key', 'read'],
    ['get_tls_key', 'read'],
    ['get_otp', 'read'],
    ['read_bash_history', 'read'],
    ['get_magic_link', 'read'],
    ['get_login_link', 'read'],
    ['get_2fa_code', 'read'],
    ['get_verification_code', 'read'],
    ['read_clipboard', 'read'],
    ['read_sms', 'read'],
    ['get_secrets_manager_entry', 'read'],
    // A graver claim does not lift what the name says.
    ['get_secret', 'write'],
    ['read_db_password', 'execute'],
  ])('the tool %s hands out a secret', async (tool, capability) => {
    const guard = await guardOf({ ...mcp({ name: 'prod-db' }, tool), capability });
    expect(guard).toMatch(
      pack === 'infra-review' ? /^guard:(?:secret-tools|platform-secrets)$/ : /^guard:secret-tools$/,
    );
  });

  test.each([
    mcp({ path: '.env.example' }),
    mcp({ path: 'config/.env.sample' }),
    mcp({ path: '.env.template' }),
    mcp({ path: 'example.env' }),
    mcp({ path: 'docs/secrets.md' }),
    mcp({ path: 'src/credentials.ts' }),
    mcp({ path: 'src/environment.ts' }),
    mcp({ path: 'src/keyboard.ts' }),
    mcp({ path: 'certs/ca.pem' }),
    mcp({ path: 'keys/release.pub' }),
    mcp({ path: '.gitignore', content: '.env\nnode_modules' }, 'write_file'),
    mcp({ path: '.gitignore', edits: [{ oldText: 'dist', newText: '.env' }] }, 'edit_file'),
    mcp({ query: '.env' }, 'search_code'),
    mcp({ q: 'id_rsa in:file' }, 'search_code'),
    mcp({ title: 'Read .env once', body: 'See ../docs and /etc/passwd.' }, 'create_issue'),
    mcp({ thought: 'The file /etc/shadow is out of scope.' }, 'sequentialthinking'),
    mcp({ note: 'we never read .env' }, 'add_note'),
    mcp({ remark: 'we never read .env here' }, 'add_note'),
    mcp({ branch: 'fix/.env-loading' }, 'create_branch'),
    mcp({ path: '/srv/work/src/a.ts' }),
    mcp({ url: 'https://example.com/a/../b' }, 'open_page'),
    mcp({ basehead: 'main...feature' }, 'compare_commits'),
    mcp({ path: 'a..b/c' }),
    mcp({ path: '.', excludePatterns: ['.env', '**/.ssh/**'] }, 'directory_tree'),
    mcp({ path: '.', ignore: ['.env'] }, 'list_directory'),
    mcp({ path: '.', pattern: '.env' }, 'search_files'),
    mcp({ url: 'https://console.aws.amazon.com/s3' }, 'open_page'),
    mcp({ url: 'https://portal.azure.com/x' }, 'open_page'),
    mcp({ url: 'https://api.gateway-prod.example.com/x' }, 'open_page'),
    mcp({ symbol: 'process.env.NODE_ENV' }, 'find_symbol'),
    mcp({ path: 'src/valid_rsa_test.ts' }),
    mcp({ path: 'i18n/keys.json' }),
    mcp({ path: 'theme/tokens.json' }),
    mcp({ path: 'docs/secrets.prod.md' }),
    mcp({ path: 'src/password.ts' }),
    mcp({ dir: 'docs', file: 'readme.md' }),
    mcp({ folder: 'src', name: 'shadow' }),
    mcp({ path: 'src/keyrings.ts' }),
    mcp({ path: 'tests/chrome/cookies.test.ts' }),
    mcp({ path: 'src/auth.json' }),
    mcp({ path: '.config/nvim/init.lua' }),
    mcp({ path: 'src/run/secrets/handler.ts' }),
    mcp({ input: 'How does one read .env files in Node?' }, 'get_answer'),
  ])('beside it %j is not guarded', async (call) => {
    const { matched_rule } = await decidedOpen(pack, call);
    expect(matched_rule).not.toMatch(/^guard:/);
  });

  test.each([
    mcp({ owner: 'acme', repo: 'web' }, 'list_secret_scanning_alerts'),
    mcp({ text: 'how long is this' }, 'count_tokens'),
    mcp({ file: 'theme' }, 'get_design_tokens'),
    mcp({}, 'get_cookie_policy'),
    mcp({}, 'validate_jwt'),
    mcp({ name: 'staging' }, 'get_environment'),
    mcp({ repo: 'web' }, 'list_environments'),
    mcp({ name: 'staging' }, 'get_env_status'),
    mcp({ path: 'src/env.ts' }, 'read_file'),
    mcp({}, 'search_password_policies'),
    mcp({}, 'get_database'),
    mcp({ name: 'web' }, 'get_public_key'),
    mcp({}, 'validate_pem'),
    mcp({ channel: 'general' }, 'get_channel_history'),
    mcp({}, 'get_request_headers'),
    mcp({}, 'get_env_info'),
    mcp({ id: '7' }, 'get_item'),
    mcp({ page: 'home' }, 'get_link'),
    mcp({}, 'get_dsn_documentation'),
  ])('beside it $tool is not guarded', async (call) => {
    const { matched_rule } = await decidedOpen(pack, call);
    if (pack !== 'infra-review') expect(matched_rule).not.toMatch(/^guard:/);
  });

  test.each<[Record<string, unknown>, string]>([
    [{ dir: '/etc', file: 'shadow' }, 'guard:system-files'],
    [{ directory: '/etc/', filename: 'passwd' }, 'guard:system-files'],
    [{ root: '/', path: 'etc/shadow' }, 'guard:system-files'],
    [{ base: 'src', relative_path: '../../x' }, 'guard:climbing-out'],
    [{ options: { folder: '~/.docker', name: 'config.json' } }, 'guard:secret-files'],
    [{ directory: 'config', name: 'credentials', extension: 'json' }, 'guard:secret-files'],
  ])('a path in parts is a path: %j', async (parameters, guard) => {
    expect(await guardOf(mcp(parameters, 'get_thing'))).toBe(guard);
  });

  test.each([
    ['/api/v1/namespaces/shop/secrets/db', 'guard:cluster-secrets'],
    ['api/v1/secrets?limit=5', 'guard:cluster-secrets'],
    ['https://10.0.0.1:6443/api/v1/watch/namespaces/shop/secrets', 'guard:cluster-secrets'],
    ['/api/v1/namespaces/shop/pods/secrets-operator', 'allow'],
    ['manifests/secrets/readme.md', 'allow'],
  ])('an address of the API of a cluster names what it returns: %s', async (path, guard) => {
    expect(await guardOf(mcp({ path }, 'kubernetes.get'))).toBe(guard);
  });

  test.each<[string, Record<string, unknown>, string]>([
    ['metadata', { _meta: { 'com.acme/file': '/srv/app/.env' } }, 'guard:secret-files'],
    ['an answer', { inputResponses: { a: { content: { path: '/root/.ssh/id_rsa' } } } }, 'guard:secret-files'],
    ['an answer in a list', { inputResponses: { a: { content: { x: ['../..'] } } } }, 'guard:climbing-out'],
    ['state of the server', { requestState: '/etc/shadow' }, 'guard:system-files'],
    ['an address', { _meta: { 'com.acme/link': 'vault://secret/data/x' } }, 'guard:secret-addresses'],
    ['a line', { inputResponses: { a: { content: { command: 'cat .env' } } } }, 'guard:secret-files'],
  ])('[policy.sent-with] what is sent besides the parameters is guarded: %s', async (_, sent_with, guard) => {
    expect(await guardOf({ ...mcp({ path: 'README.md' }, 'run_step'), sent_with })).toBe(guard);
  });

  test.each<Record<string, unknown>>([
    { _meta: { 'com.acme/cost-centre': 'A-17' } },
    { inputResponses: { a: { action: 'accept', content: { colour: 'blue', body: 'see .env' } } } },
    { requestState: 'eyJhbGciOiJIUzI1NiJ9.e30.abc' },
  ])('[policy.sent-with] beside it %j is not guarded', async (sent_with) => {
    expect(await guardOf({ ...mcp({ path: 'README.md' }, 'run_step'), sent_with })).toBe('allow');
  });

  test('[policy.guards.disable] only disable_guards lifts a guard, and no other guard with it', async () => {
    const secret = mcp({ path: '.env' });
    expect((await decidedOpen(pack, secret)).decision).toBe('block');
    expect((await decidedOpen(pack, secret, ['secret-files'])).decision).toBe('allow');
    expect((await decidedOpen(pack, mcp({ path: '/etc/shadow' }), ['secret-files'])).decision).toBe('block');
  });
});
test('[policy.guards] the guards that packs share are the same in all of them', () => {
  const shared = (pack: string) => packs.get(pack)!.guards.filter((guard) => guardName(guard) !== 'platform-secrets');
  for (const pack of shippedPacks) expect(shared(pack)).toEqual(shared('readonly'));
});
