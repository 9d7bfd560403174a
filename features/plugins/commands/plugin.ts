/** `plugin`: finds, verifies, installs and removes signed WASM filters and policy packs. */
import type { Command } from 'commander';
import { addCommand, addGroup, type Cli, type Outcome, type Parent } from '#agentctl/command.ts';
import { exitCodes, Failure, UsageError } from '#agentctl/failure.ts';
import { stateFolder } from '#agentctl/local-run.ts';
import type { PluginEntry } from '#core/configuration/supply-chain/documents.ts';
import { digestOf } from '#core/kernel/canonical.ts';
import { fields, list } from '#core/kernel/json-fields.ts';
import { assertMayRecord, type KnownPlugin, refusalsReported, report } from './acts.ts';
import { checkArtifact, fileContent, readIndex, refusals, verdictOf } from './index-source.ts';
import { PluginStore } from './store.ts';

interface IndexOptions {
  readonly index: string;
  readonly root?: string;
  readonly allowDowngrade?: boolean;
}

export function addPlugin(program: Parent): void {
  const parent = addGroup(
    program,
    'plugin',
    'Install WASM filters and policy packs from a signed index: search, info, install, list, outdated, remove',
  );
  const withIndex = (command: Command) =>
    command
      .requiredOption('--index <url|file>', 'index of plugins: an HTTPS address or a file')
      .option('--root <pem>', 'public key that you trust; the first install pins it');
  addCommand<IndexOptions>(parent, {
    usage: 'search [words...]',
    summary: 'Search an index for plugins that contain all words',
    examples: ['plugin search secrets --index https://plugins.example.com/index.json --root root.pem'],
    options: withIndex,
    run: (cli, options, words) =>
      refusals(cli, async () => {
        const { searchPlugins } = await import('../catalogue.ts');
        const { trusted } = await openIndex(cli, options);
        printPlugins(cli, searchPlugins(trusted.index, words).map(withoutEnvelope), [
          'name',
          'version',
          'phase',
          'description',
        ]);
        return 'positive';
      }),
  });
  addCommand<IndexOptions>(parent, {
    usage: 'info <plugin>',
    summary: 'Show one plugin, and whether its publisher may sign it',
    examples: ['plugin info keyword-guard --index index.json --root root.pem'],
    options: withIndex,
    run: (cli, options, [name = '']) =>
      refusals(cli, async () => {
        const { newestVersion } = await import('../catalogue.ts');
        const { trusted } = await openIndex(cli, options);
        const entry = newestVersion(trusted.index, name);
        const verdict = await verdictOf(entry, trusted);
        const said = { ...withoutEnvelope(entry), ...verdict };
        if (cli.globals.json) cli.out.pretty(said);
        else for (const [field, value] of Object.entries(said)) cli.out.field(field, value);
        return verdict.verified ? 'positive' : 'negative';
      }),
  });
  addCommand<IndexOptions>(parent, {
    usage: 'install <plugin>',
    summary: 'Verify a plugin, store it by digest, and print the policy entry that names it',
    examples: ['plugin install keyword-guard@1.0.0 --index index.json --root root.pem'],
    options: (command) =>
      withIndex(command).option('--allow-downgrade', 'install an older version than the installed one'),
    run: (cli, options, [name = '']) =>
      refusals(cli, () => refusalsReported(cli, storeOf(cli), name, (known) => install(cli, options, name, known))),
  });
  addCommand(parent, {
    usage: 'list',
    summary: 'List installed plugins, and whether each still verifies; exit code 0 only when all do',
    examples: ['plugin list', 'plugin list --json'],
    run: (cli) => refusals(cli, () => listInstalled(cli)),
  });
  addCommand<IndexOptions>(parent, {
    usage: 'outdated',
    summary: 'List installed plugins with a newer version in the index; exit code 1 when there are any',
    examples: ['plugin outdated --index https://plugins.example.com/index.json'],
    options: withIndex,
    run: (cli, options) => refusals(cli, () => listOutdated(cli, options)),
  });
  addCommand(parent, {
    usage: 'remove <plugin>',
    summary: 'Remove a plugin that the configuration in force does not use',
    examples: ['plugin remove keyword-guard'],
    run: (cli, _options, [name = '']) =>
      refusals(cli, () => refusalsReported(cli, storeOf(cli), name, (known) => remove(cli, name, known))),
  });
}

const storeOf = ({ globals }: Cli): PluginStore =>
  new PluginStore(stateFolder(globals.state ?? (process.env.GATEWAY_STATE || undefined)).path);

/** Opens the index, after verifying it with the pinned key and checking that it is not older than the last one seen. */
async function openIndex(cli: Cli, { index, root: rootFile }: IndexOptions) {
  const { keyIdOf, publicKeyOf } = await import('#core/configuration/supply-chain/keys.ts');
  const { verifyIndex } = await import('#core/configuration/supply-chain/verify-index.ts');
  const { refuseDocument: refuse } = await import('#core/configuration/supply-chain/refusal.ts');
  const store = storeOf(cli);
  const record = await store.read();
  const root = rootFile === undefined ? record?.root : fileContent(rootFile).toString();
  if (root === undefined) throw new UsageError('no root key is pinned yet: give --root <pem>');
  const key = publicKeyOf(root);
  if (record && keyIdOf(publicKeyOf(record.root)) !== keyIdOf(key))
    refuse('root_changed', `the pinned root key is ${keyIdOf(publicKeyOf(record.root))}, --root is ${keyIdOf(key)}`);
  const source = await readIndex(cli, index);
  const trusted = verifyIndex(source.file, key, { now: Date.now(), ...(record && { seen: record.seen }) });
  // Stored immediately: from now on, revocations apply to installed plugins, and older indexes are refused.
  if (record) await store.write({ ...record, index_file: source.file, seen: trusted.seen });
  return { store, record, root, source, trusted };
}

async function install(cli: Cli, options: IndexOptions, wanted: string, known: KnownPlugin): Promise<Outcome> {
  await assertMayRecord(cli, 'install');
  const { newestVersion, assertNoDowngrade } = await import('../catalogue.ts');
  const { verifyEntry } = await import('#core/configuration/supply-chain/verify-artifact.ts');
  const { verifyBytes } = await import('../verify-bytes.ts');
  const { store, record, root, source, trusted } = await openIndex(cli, options);
  const entry = newestVersion(trusted.index, wanted);
  known.entry = entry;
  const before = record?.plugins.find(({ name }) => name === entry.name);
  if (!options.allowDowngrade) assertNoDowngrade(before, entry);
  const signer = verifyEntry(entry, trusted, Date.now());
  known.signer = signer;
  const bytes = await source.fetchArtifact(entry);
  await verifyBytes(entry, bytes, (read) => checkArtifact(entry, read));
  await store.put(entry, bytes);
  const others = record?.plugins.filter(({ name }) => name !== entry.name) ?? [];
  await store.write({
    format: 1,
    root,
    index_file: source.file,
    seen: trusted.seen,
    plugins: [...others, { ...entry, installed_at: new Date().toISOString() }],
  });
  const evidence = await report(cli, store, { act: 'install', ...aboutOf(entry), signer });
  if (entry.kind === 'policy_pack') return installedPack(cli, entry, store.pathOf(entry), evidence);
  const filter = filterOf(entry, store.pathOf(entry));
  if (cli.globals.json) cli.out.pretty({ installed: withoutEnvelope(entry), filter, evidence_hash: evidence ?? null });
  else {
    cli.out.line(`installed ${entry.name} ${entry.version}, sha256 ${entry.sha256}${inEvidence(evidence)}`);
    cli.out.line(
      'Add this entry to the configuration file that the gateway imports, and import it (locally: restart npm start):',
    );
    const phases = entry.phase === 'both' ? ['input', 'output'] : [entry.phase!];
    cli.out.text(
      ['policies:', ...phases.flatMap((phase) => [`  ${phase}:`, `    - ${JSON.stringify(filter)}`])].join('\n'),
    );
  }
  return 'positive';
}

function installedPack(cli: Cli, entry: PluginEntry, path: string, evidence: string | undefined): Outcome {
  const said = { installed: withoutEnvelope(entry), tool_policies: { pack: path }, evidence_hash: evidence ?? null };
  if (cli.globals.json) cli.out.pretty(said);
  else {
    cli.out.line(`installed ${entry.name} ${entry.version}, sha256 ${entry.sha256}${inEvidence(evidence)}`);
    cli.out.line('Name it in the configuration file that the gateway imports:');
    cli.out.text(`tool_policies:\n  pack: ${JSON.stringify(path)}`);
  }
  return 'positive';
}

/** Returns the filter entry. The digest pins the bytes: if the file changes later, its import is refused. */
const filterOf = ({ name, sha256 }: PluginEntry, path: string) => ({
  name,
  type: 'wasm',
  action: 'block',
  path,
  sha256,
  timeout: '100ms',
  on_error: 'block',
});

async function listInstalled(cli: Cli): Promise<Outcome> {
  const { publicKeyOf } = await import('#core/configuration/supply-chain/keys.ts');
  const { verifyIndex } = await import('#core/configuration/supply-chain/verify-index.ts');
  const { sha256 } = await import('#core/kernel/canonical.ts');
  const store = storeOf(cli);
  const record = await store.read();
  const trusted =
    record && verifyIndex(record.index_file, publicKeyOf(record.root), { now: Date.now(), seen: record.seen });
  const rows = await Promise.all(
    (record?.plugins ?? []).map(async (entry) => {
      const bytes = await store.bytes(entry);
      const same = bytes !== undefined && sha256(bytes) === entry.sha256;
      const verdict = same
        ? await verdictOf(entry, trusted!)
        : { verified: false as const, reason: bytes ? 'digest_mismatch' : 'artifact_missing' };
      return { name: entry.name, version: entry.version, sha256: entry.sha256, ...verdict };
    }),
  );
  printPlugins(cli, rows, ['name', 'version', 'verified', 'reason', 'sha256']);
  return rows.every(({ verified }) => verified) ? 'positive' : 'negative';
}

async function listOutdated(cli: Cli, options: IndexOptions): Promise<Outcome> {
  const { compareVersions } = await import('../catalogue.ts');
  const { record, trusted } = await openIndex(cli, options);
  const rows = (record?.plugins ?? []).flatMap(({ name, version }) => {
    const versions = trusted.index.plugins.filter((entry) => entry.name === name && !entry.yanked);
    const newer = versions.map((entry) => entry.version).filter((other) => compareVersions(other, version) > 0);
    return newer.length === 0 ? [] : [{ name, installed: version, newest: newer.sort(compareVersions).at(-1)! }];
  });
  printPlugins(cli, rows, ['name', 'installed', 'newest']);
  return rows.length === 0 ? 'positive' : 'negative';
}

/** Removes a plugin. Refuses if the gateway does not respond, because a policy may be using the plugin. */
async function remove(cli: Cli, wanted: string, known: KnownPlugin): Promise<Outcome> {
  await assertMayRecord(cli, 'remove');
  const { refuseDocument: refuse } = await import('#core/configuration/supply-chain/refusal.ts');
  const store = storeOf(cli);
  const record = await store.read();
  const entry = record?.plugins.find(({ name }) => name === wanted);
  if (!record || !entry)
    return refuse('plugin_unknown', `${wanted} is not installed; agentctl plugin list shows what is`);
  known.entry = entry;
  const { configuration } = fields((await cli.api().call('getConfig')).json);
  const policies = fields(fields(configuration).policies);
  if (!Array.isArray(policies.input) || !Array.isArray(policies.output))
    throw new Failure(exitCodes.negative, 'the gateway returned a configuration without policies; nothing was removed');
  const path = store.pathOf(entry);
  const user = [...list(policies.input), ...list(policies.output)]
    .map(fields)
    .find((filter) => filter.type === 'wasm' && (filter.sha256 === entry.sha256 || filter.path === path));
  if (user) return refuse('in_use', `the filter ${user.name} of the configuration in force uses ${wanted}`);
  const { pack } = fields(fields(configuration).tool_policies);
  if (entry.kind === 'policy_pack' && pack && digestOf(pack) === entry.sha256)
    return refuse('in_use', `the configuration in force uses the pack ${wanted}`);
  const plugins = record.plugins.filter(({ name }) => name !== wanted);
  await store.write({ ...record, plugins });
  if (!plugins.some(({ sha256 }) => sha256 === entry.sha256)) await store.remove(entry);
  const evidence = await report(cli, store, { act: 'remove', ...aboutOf(entry) });
  if (cli.globals.json) cli.out.pretty({ removed: wanted, sha256: entry.sha256, evidence_hash: evidence ?? null });
  else cli.out.line(`removed ${wanted} ${entry.version}${inEvidence(evidence)}`);
  return 'positive';
}

const aboutOf = ({ name, version, kind, sha256 }: PluginEntry) => ({ name, version, kind, sha256 });
const inEvidence = (hash: string | undefined): string => (hash === undefined ? '' : `, evidence ${hash}`);

const withoutEnvelope = ({ envelope: _, ...entry }: PluginEntry): Omit<PluginEntry, 'envelope'> => entry;

function printPlugins(cli: Cli, rows: readonly object[], columns: readonly string[]): void {
  if (cli.globals.json) cli.out.pretty({ plugins: rows });
  else if (rows.length === 0) cli.out.line('no plugins');
  else
    cli.out.table(
      columns,
      rows.map((row) => columns.map((column) => (row as Record<string, unknown>)[column])),
    );
}
