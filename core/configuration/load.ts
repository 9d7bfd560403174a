/** From YAML text to a configuration that may be stored, or one error that lists every problem (spec §7.2, contract §1). */
import { type Configuration, type ConfigurationFile, configurationSchema } from '#core/contracts/config.ts';
import { canonicalize, digestOf, sha256 } from '#core/kernel/canonical.ts';
import { asGatewayError } from '#core/kernel/errors.ts';
import { checkConfiguration } from './checks.ts';
import { type PackReader, type ResolvedPack, resolvePack } from './pack-source.ts';
import { checkPolicy } from './policy-checks.ts';
import { type Path, type Problem, problemsOf, refusal } from './problems.ts';
import { storedForm } from './stored-form.ts';
import { readYaml } from './yaml.ts';

export interface LoadOptions {
  readonly packs: PackReader;
  /** When given, the only names under which secrets may be read. */
  readonly secretNames?: readonly string[];
}

export interface LoadedConfiguration {
  /** Self-contained: digests for keys, the pack's rules with it. */
  readonly configuration: Configuration;
  /** SHA-256 of the canonical configuration: its version's content address. */
  readonly sha256: string;
  /** SHA-256 over the text and the text of its pack: whether a file changed. */
  readonly source_sha256: string;
  readonly warnings: readonly string[];
}

/** @throws GatewayError `invalid_request` listing every problem as «path (line n): found X, allowed Y». */
export async function loadConfiguration(text: string, options: LoadOptions): Promise<LoadedConfiguration> {
  const { value, lineOf } = readYaml(text, 'The configuration');
  const parsed = configurationSchema.safeParse(value);
  if (!parsed.success) throw refusal(problemsOf(parsed.error.issues, value), lineOf);
  const file = parsed.data;

  const warnings: string[] = [];
  const problems = checkConfiguration(file, options.secretNames, warnings);
  const resolved = await packOf(file, options.packs, problems);
  if (resolved) problems.push(...checkPolicy(file, resolved, warnings));
  if (problems.length > 0 || !resolved) throw refusal(problems, lineOf);

  const configuration = storedForm(file, resolved.pack);
  return {
    configuration,
    sha256: sha256(canonicalize(configuration)),
    source_sha256: sourceDigest(text, resolved),
    warnings,
  };
}

/**
 * The digest by which a file is known again, without the work of loading it; undefined for text that has to be loaded to
 * say what is wrong with it.
 */
export async function digestOfSource(text: string, packs: PackReader): Promise<string | undefined> {
  const parsed = configurationSchema.safeParse(readYaml(text, 'The configuration').value);
  const resolved = parsed.success ? await packOf(parsed.data, packs, []) : undefined;
  return resolved && sourceDigest(text, resolved);
}

async function packOf(
  { tool_policies: { pack } }: ConfigurationFile,
  packs: PackReader,
  problems: Problem[],
): Promise<ResolvedPack | undefined> {
  try {
    return await resolvePack(pack, packs);
  } catch (thrown) {
    const found = typeof pack === 'string' ? JSON.stringify(pack) : 'an inline pack';
    problems.push({ path: packPath, found, allowed: `a readable pack (${asGatewayError(thrown).message})` });
    return undefined;
  }
}

const packPath: Path = ['tool_policies', 'pack'];

const sourceDigest = (text: string, pack: Pick<ResolvedPack, 'text'>): string => digestOf([text, pack.text]);
