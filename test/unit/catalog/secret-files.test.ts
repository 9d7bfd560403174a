/** A single list of secret files, so that the tool guard, session risk and pack guards agree about every path. */
import { fileGlobs, secretFileLists } from '#core/catalog/secret-files.ts';
import { behaviorSchema } from '#core/contracts/behavior-schema.ts';
import type { ToolCall } from '#core/contracts/envelope.ts';
import { checkArguments } from '#core/guard/arguments.ts';
import { checkDefinition } from '#core/guard/definitions.ts';
import { compilePolicy } from '#core/policy/rules/compile.ts';
import { decide } from '#core/policy/rules/decide.ts';
import { signalContext, signalsOf } from '#core/session/risk/signals.ts';
import { isSecretPath } from '#core/text/secrets/secret-paths.ts';

const call = (path: string): ToolCall => ({
  protocol: 'mcp',
  tool: 'read_file',
  target: '',
  capability: 'read',
  parameters: { path },
});
const policy = compilePolicy({ name: 'test', default_decision: 'allow', guards: [...secretFileLists], rules: [] });
const context = signalContext(behaviorSchema.parse({}));

const answers = (path: string) => ({
  isSecretPath: isSecretPath(path),
  pack: decide(policy, call(path)).decision === 'block',
  sessionRisk: signalsOf(call(path), { parts: [], carrier: false }, 'allow', context).some(({ s }) => s === 'secret'),
  toolGuard: checkArguments({ path }).some(({ kind }) => kind === 'path'),
});
const all = (answer: boolean) => ({ isSecretPath: answer, pack: answer, sessionRisk: answer, toolGuard: answer });

const secret = `
  .env .env.staging .env.local .env.test .ENV .envrc app/.npmrc team.netrc .zsh_history .bash_history .git/config /etc/passwd /etc/shadow
  /proc/1/environ /run/secrets/db server.pem public.key master.key keys/id_rsa my_id_ed25519.bak ~/.ssh/id_rsa ~/.ssh/config ~/.ssh/id_rsa.pub
  ~/.aws/credentials ~/.aws/config ~/.kube/config kubeconfig ~/.docker/config.json ~/.config/gh/hosts.yml ~/.config/gcloud/x.db prod.tfvars
  terraform.tfstate wallet.dat old-wallet.dat mcp.json .vscode/mcp.json ~/.cursor/mcp.json credentials.json my-credentials.json secrets.toml
  secrets.prod.yaml service-account.json passwords.txt login.keychain wp-config.php.bak C:\\Users\\a\\.ssh\\id_rsa src/a/../../.env %2eenv
`
  .trim()
  .split(/\s+/);

const harmless = `
  .env.example .env.sample example.env id_rsa.pub keys/id_ed25519.pub certs/ca.pem server-cert.pem server.public.pem src/env.ts
  src/valid_rsa_test.ts src/secrets/index.ts docs/wallet.md tokens.json config.json .gitignore package.json etc/passwords.md src/mcp-json.ts
  .mcp.jsonc.ts .secrets.baseline process.env.NODE_ENV
`
  .trim()
  .split(/\s+/);

describe('[policy.secret-files]', () => {
  test.each(secret)('every component treats %s as a secret file', (path) => {
    expect(answers(path)).toEqual(all(true));
  });

  test.each(harmless)('%s is not', (path) => {
    expect(answers(path)).toEqual(all(false));
  });

  test.each([
    'Reads ~/.aws/config first.',
    'Open `.zsh_history`, then go on.',
    'See /proc/self/environ',
    'It needs prod.tfvars',
  ])('the tool definition "%s" refers to a secret file', (description) => {
    expect(checkDefinition({ name: 'a', description }).map(({ kind }) => kind)).toContain('secret_reference');
  });

  test.each(['Returns event.key and ctx.env.', 'Add ~/.ssh/id_ed25519.pub to the account.', 'Uses your kubeconfig.'])(
    'the tool definition "%s" does not refer to a secret file',
    (description) => {
      expect(checkDefinition({ name: 'a', description }).map(({ kind }) => kind)).not.toContain('secret_reference');
    },
  );

  test('no glob contains a space, because guards split text at spaces', () => {
    for (const list of secretFileLists)
      for (const glob of [...fileGlobs(list).globs, ...fileGlobs(list).except]) expect(glob).not.toMatch(/\s/);
  });
});
