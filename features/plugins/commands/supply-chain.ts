/** `supply-chain`: keys, signatures and verification of plugin indexes and plugins; works without a gateway. */

import { existsSync, readFileSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { basename } from 'node:path';
import { Option } from 'commander';
import { addCommand, addGroup, type Cli, type Outcome, type Parent } from '#agentctl/command.ts';
import { fileTrouble, UsageError } from '#agentctl/failure.ts';
import { saveWhole } from '#agentctl/files.ts';
import { showAnswer } from '#agentctl/operation-command.ts';
import type { KeyKind } from '#core/configuration/supply-chain/keys.ts';
import { fields, list } from '#core/kernel/json-fields.ts';
import { checkArtifact, fileContent, refusals, verdictOf } from './index-source.ts';

export function addSupplyChain(program: Parent): void {
  const parent = addGroup(
    program,
    'supply-chain',
    'Sign and verify plugins, packs and releases: keygen, sign, verify, list, trust, attest',
  );
  addTrust(parent);
  addKeygen(parent);
  addSign(parent);
  addAttest(parent);
  addCommand<VerifyOptions>(parent, {
    usage: 'verify <file>',
    summary:
      'Verify an index file, a plugin (--name and --artifact) or a release (--provenance); exit code 0 only when everything is valid',
    examples: [
      'supply-chain verify index.json --root root.pem --name keyword-guard --artifact keyword-guard.wasm',
      'supply-chain verify agent-governance-gateway-0.10.0.tgz --provenance provenance.json --root release.pem --sbom sbom.cdx.json',
    ],
    options: (command) =>
      command
        .requiredOption('--root <pem>', 'the public key you trust')
        .option('--name <plugin>', 'plugin of the index that --artifact is compared with')
        .option('--artifact <file>', 'the module')
        .option('--provenance <json>', 'statement of provenance; the file is then a release')
        .option('--sbom <json>', 'with --provenance: the bill of materials of the release'),
    run: (cli, options, [file = '']) =>
      options.provenance === undefined ? verifyFile(cli, file, options) : verifyRelease(cli, file, options),
  });
  addCommand<{ root?: string }>(parent, {
    usage: 'list [index-file]',
    summary: 'List policy packs and plugins in force, or the plugins of an index file, and whether each verifies',
    examples: ['supply-chain list', 'supply-chain list index.json --root root.pem'],
    options: (command) => command.option('--root <pem>', 'with an index file: the public key you trust'),
    run: (cli, { root }, [file]) => {
      if (file === undefined) return listInForce(cli);
      if (root === undefined)
        throw new UsageError('verifying an index file needs a key that you trust: give --root <pem>');
      return listFile(cli, file, root);
    },
  });
}

function addKeygen(parent: Parent): void {
  addCommand<{ type: KeyKind; out: string }>(parent, {
    usage: 'keygen',
    summary: 'Write a new key pair: <name>.key (private) and <name>.pem (public)',
    examples: ['supply-chain keygen --out root', 'supply-chain keygen --type p256 --out publisher'],
    options: (command) =>
      command
        .requiredOption('--out <name>', 'path of the files, without the extension')
        .addOption(new Option('--type <kind>', 'kind of the key').choices(['ed25519', 'p256']).default('ed25519')),
    run: async (cli, { type, out }) => {
      const { generateKeys, keyIdOf, publicKeyOf } = await import('#core/configuration/supply-chain/keys.ts');
      const pair = generateKeys(type);
      await writeNew(`${out}.key`, pair.privateKey);
      await writeNew(`${out}.pem`, pair.publicKey);
      const key_id = keyIdOf(publicKeyOf(pair.publicKey));
      if (cli.globals.json) cli.out.pretty({ key_id, private_key: `${out}.key`, public_key: `${out}.pem` });
      else cli.out.line(`key ${key_id}: ${out}.key (private, keep it offline) and ${out}.pem`);
      return 'positive';
    },
  });
}

interface VerifyOptions {
  readonly root: string;
  readonly name?: string;
  readonly artifact?: string;
  readonly provenance?: string;
  readonly sbom?: string;
}

interface AttestOptions {
  readonly signingKey: string;
  readonly sbom: string;
  readonly source: string;
  readonly commit: string;
  readonly builder: string;
  readonly release: string;
}

/** Adds `attest`, for people who build releases. */
function addAttest(parent: Parent): void {
  addCommand<AttestOptions>(parent, {
    usage: 'attest <file>',
    summary: 'Sign a release: print a SLSA provenance statement for the file',
    examples: [
      'supply-chain attest agent-governance-gateway-0.10.0.tgz --release 0.10.0 --sbom sbom.cdx.json --source https://git.example/gateway --commit $(git rev-parse HEAD) --builder https://ci.example/jobs/7 --signing-key release.key',
    ],
    options: (command) =>
      command
        .requiredOption('--release <version>', 'version of the release')
        .requiredOption('--sbom <json>', 'its bill of materials')
        .requiredOption('--source <address>', 'the repository')
        .requiredOption('--commit <sha>', 'the commit it was built from')
        .requiredOption('--builder <address>', 'who built it, such as the address of the job')
        .requiredOption('--signing-key <file>', 'private key in PEM form'),
    run: (cli, { signingKey, sbom, source, commit, builder, release }, [file = '']) =>
      refusals(cli, async () => {
        const { signProvenance } = await import('../provenance.ts');
        const { privateKeyOf } = await import('#core/configuration/supply-chain/keys.ts');
        const key = privateKeyOf(fileContent(signingKey).toString());
        const build = {
          version: release,
          source,
          commit,
          builder,
          byproducts: { [basename(sbom)]: fileContent(sbom) },
        };
        cli.out.pretty(signProvenance(key, basename(file), fileContent(file), build));
        return 'positive';
      }),
  });
}

interface SignOptions {
  readonly type: 'artifact' | 'index' | 'delegations' | 'revocations';
  readonly signingKey: string;
  readonly about?: string;
  readonly into?: string;
  readonly out?: string;
}

/** Adds `trust`, which prints the configuration for verifying packs and filters. */
function addTrust(parent: Parent): void {
  addCommand<{ root: string }>(parent, {
    usage: 'trust <index-file>',
    summary: 'Verify an index file, and print the section supply_chain of a configuration that trusts it',
    examples: ['supply-chain trust index.json --root root.pem >> gateway.yaml'],
    options: (command) => command.requiredOption('--root <pem>', 'the public key you trust'),
    run: (cli, { root }, [file = '']) =>
      refusals(cli, async () => {
        const { stringify } = await import('#agentctl/yaml-text.ts');
        const [root_key, index] = [fileContent(root).toString(), readJson(file)];
        await verifiedIndex(index, root_key);
        const supply_chain = { root_key, index };
        if (cli.globals.json) cli.out.pretty({ supply_chain });
        else cli.out.text(stringify({ supply_chain }, { lineWidth: 0 }));
        return 'positive';
      }),
  });
}

function addSign(parent: Parent): void {
  addCommand<SignOptions>(parent, {
    usage: 'sign <file>',
    summary:
      'Sign a module or pack (prints its index entry), or an index, delegations or revocations (prints the envelope)',
    examples: [
      'supply-chain sign guard.wasm --type artifact --about guard.json --signing-key publisher.key',
      'supply-chain sign policies/mine.yaml --type artifact --about mine.json --out mine-1.0.0.json --signing-key publisher.key',
      'supply-chain sign delegations.json --type delegations --signing-key root.key --into index.json',
    ],
    options: (command) =>
      command
        .addOption(
          new Option('--type <document>', 'what is signed')
            .choices(['artifact', 'index', 'delegations', 'revocations'])
            .makeOptionMandatory(),
        )
        .requiredOption('--signing-key <file>', 'private key in PEM form')
        .option('--about <json>', 'with --type artifact: the index entry without sha256, size and envelope')
        .option('--out <file>', 'for a policy pack: file for the signed form, which you publish')
        .option('--into <index-file>', 'insert the envelope into this index file instead of printing it'),
    run: (cli, options, [file = '']) => refusals(cli, () => sign(cli, file, options)),
  });
}

/** Reads a pack from YAML or JSON. */
async function packBytesOf(file: string): Promise<Buffer> {
  const { readYaml } = await import('#core/configuration/load/yaml.ts');
  const { packBytes } = await import('../pack-bytes.ts');
  return packBytes(readYaml(fileContent(file).toString('utf8'), file).value, file);
}

async function sign(cli: Cli, file: string, { type, signingKey, about, into, out }: SignOptions): Promise<Outcome> {
  const { privateKeyOf } = await import('#core/configuration/supply-chain/keys.ts');
  const { signEntry, signRootDocument } = await import('../sign.ts');
  const key = privateKeyOf(fileContent(signingKey).toString());
  if (type === 'artifact') {
    if (about === undefined || into !== undefined)
      throw new UsageError('--type artifact needs --about and takes no --into');
    const said = fields(readJson(about));
    if ((said.kind === 'policy_pack') !== (out !== undefined))
      throw new UsageError('--out is for a policy pack: it names the file for the signed form');
    const bytes = out === undefined ? fileContent(file) : await packBytesOf(file);
    if (out !== undefined) await saveWhole(out, async () => [bytes]);
    cli.out.pretty(signEntry(key, said, bytes));
    return 'positive';
  }
  if (about !== undefined) throw new UsageError('--about goes with --type artifact');
  const envelope = signRootDocument(key, type, readJson(file));
  if (into === undefined) cli.out.pretty(envelope);
  else {
    const whole = { ...(existsSync(into) ? (readJson(into) as object) : {}), [type]: envelope };
    await saveWhole(into, async () => [Buffer.from(`${JSON.stringify(whole, null, 2)}\n`)]);
    cli.out.note(`set ${type} in ${into}`);
  }
  return 'positive';
}

function verifyRelease(cli: Cli, file: string, { root, provenance = '', sbom, name, artifact }: VerifyOptions) {
  if (name !== undefined || artifact !== undefined)
    throw new UsageError('--provenance is about a release; --name and --artifact are about an index');
  return refusals(cli, async () => {
    const { verifyProvenance } = await import('../provenance.ts');
    const { publicKeyOf } = await import('#core/configuration/supply-chain/keys.ts');
    const key = publicKeyOf(fileContent(root).toString());
    const given = sbom === undefined ? [] : [fileContent(sbom)];
    const said = verifyProvenance(readJson(provenance), key, fileContent(file), given);
    if (cli.globals.json) cli.out.pretty({ verified: true, ...said });
    else {
      const { byproducts, ...rest } = said;
      for (const [field, value] of Object.entries(rest)) cli.out.field(field, value);
      for (const each of byproducts) cli.out.field(each.name, each.sha256);
    }
    return 'positive';
  });
}

function verifyFile(
  cli: Cli,
  file: string,
  { root, name, artifact }: { root: string; name?: string; artifact?: string },
): Promise<Outcome> {
  if ((name === undefined) !== (artifact === undefined)) throw new UsageError('--name and --artifact go together');
  return refusals(cli, async () => {
    const trusted = await verifiedIndex(readJson(file), fileContent(root).toString());
    let publisher: string | undefined;
    if (name !== undefined && artifact !== undefined) {
      const { newestVersion } = await import('../catalogue.ts');
      const { verifyEntry } = await import('#core/configuration/supply-chain/verify-artifact.ts');
      const { verifyBytes } = await import('../verify-bytes.ts');
      const entry = newestVersion(trusted.index, name);
      publisher = verifyEntry(entry, trusted, Date.now());
      await verifyBytes(entry, fileContent(artifact), (bytes) => checkArtifact(entry, bytes));
    }
    const { sequence, plugins } = trusted.index;
    const said = { verified: true, sequence, plugins: plugins.length, ...(publisher && { name, publisher }) };
    if (cli.globals.json) cli.out.pretty(said);
    else for (const [field, value] of Object.entries(said)) cli.out.field(field, value);
    return 'positive';
  });
}

/**
 * Lists the active plugins. Shipped packs are unsigned, which is a failure only with `tool_policies.require_signed`.
 */
const listInForce = (cli: Cli): Promise<Outcome> =>
  showAnswer(
    cli,
    'supplyChain',
    {},
    (out, { parts }) =>
      out.table(
        ['kind', 'name', 'verified', 'signed as or reason', 'sha256'],
        list(parts).map(({ kind, name, verified, signed_as, reason, sha256 }) =>
          [kind, name, verified, signed_as ?? reason ?? '', sha256 ?? ''].map(String),
        ),
      ),
    ({ require_signed, parts }) => require_signed !== true || list(parts).every(({ verified }) => verified === true),
  );

function listFile(cli: Cli, file: string, root: string): Promise<Outcome> {
  return refusals(cli, async () => {
    const trusted = await verifiedIndex(readJson(file), fileContent(root).toString());
    const rows = await Promise.all(
      trusted.index.plugins.map(async (entry) => ({
        name: entry.name,
        version: entry.version,
        sha256: entry.sha256,
        ...(await verdictOf(entry, trusted)),
      })),
    );
    if (cli.globals.json) cli.out.pretty({ plugins: rows });
    else {
      cli.out.table(
        ['name', 'version', 'verified', 'publisher or reason'],
        rows.map((row) => [row.name, row.version, String(row.verified), row.publisher ?? row.reason]),
      );
    }
    return rows.every(({ verified }) => verified) ? 'positive' : 'negative';
  });
}

/** Verifies an index with a root key in PEM form. The verifier is loaded on demand. */
async function verifiedIndex(index: unknown, rootKey: string) {
  const { verifyIndex } = await import('#core/configuration/supply-chain/verify-index.ts');
  const { publicKeyOf } = await import('#core/configuration/supply-chain/keys.ts');
  return verifyIndex(index, publicKeyOf(rootKey), { now: Date.now() });
}

/** Writes a new file. @throws UsageError if it exists, because keys are never overwritten. */
async function writeNew(file: string, content: string): Promise<void> {
  const handle = await open(file, 'wx', 0o600).catch((cause) => {
    throw fileTrouble('write', file, cause);
  });
  try {
    await handle.writeFile(content);
  } finally {
    await handle.close();
  }
}

function readJson(file: string): unknown {
  try {
    return JSON.parse(readFileSync(file, 'utf8'));
  } catch (cause) {
    if (cause instanceof SyntaxError) throw new UsageError(`${file} is not valid JSON: ${cause.message}`, cause);
    throw fileTrouble('read', file, cause);
  }
}
