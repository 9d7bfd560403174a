/** Loads a configuration from YAML text, or throws one error that lists every problem. */
import type { Configuration, ConfigurationSchema } from '#core/contracts/config.ts';
import type { HostLimits } from '#core/contracts/host-limits.ts';
import { type Problem, problemsError, problemsOf } from '#core/contracts/problems.ts';
import { digestOf } from '#core/kernel/canonical.ts';
import { describeAllowed } from '#core/kernel/issue-words.ts';
import { checkConfiguration } from '../checks/checks.ts';
import { checkHost } from '../checks/host-checks.ts';
import { checkPolicy } from '../checks/policy-checks.ts';
import { checkSignatures } from '../checks/signature-checks.ts';
import { textWarnings } from '../checks/text-warnings.ts';
import type { RulePlaces } from '../store/places.ts';
import { storedForm } from '../store/stored-form.ts';
import { rulePlaces, shownFile } from './rule-places.ts';
import { complete, readSources, type SourceReaders, type Sources } from './sources.ts';
import { readYaml } from './yaml.ts';

export interface LoadOptions extends SourceReaders {
  readonly schema: ConfigurationSchema;
  /** Execution limits of the host, if it has any. */
  readonly host?: HostLimits | undefined;
  /** Milliseconds since 1970, used to check signature dates. @default now */
  readonly now?: number;
  /** Name of the source file. Without it, the locations of rules are unknown. */
  readonly file?: string | undefined;
}

export interface LoadedConfiguration {
  /** Self-contained configuration, including key digests, the pack's rules, the prices, and modules by digest. */
  readonly configuration: Configuration;
  /** SHA-256 of the canonical configuration, which is the content address of its version. */
  readonly sha256: string;
  /** SHA-256 of the text, its pack and prices, and its modules. It shows whether a file has changed. */
  readonly source_sha256: string;
  /** WASM modules to store in the ObjectStore before the configuration is stored. */
  readonly modules: readonly Uint8Array[];
  readonly warnings: readonly string[];
  /** Locations of the configuration's rules. Absent without a file name. */
  readonly places?: RulePlaces;
}

const least = `Write at least:
version: 1
tenants: [{ id: default, api_keys: [{ key_env: AGENT_KEY }] }]`;

/**
 * Loads and checks a configuration.
 * @throws GatewayError `invalid_request` listing every problem as «path (line n): found X, allowed Y».
 */
export async function loadConfiguration(text: string, options: LoadOptions): Promise<LoadedConfiguration> {
  const { value, lineOf } = readYaml(text, 'The configuration', least);
  const parsed = options.schema.safeParse(value, { error: describeAllowed });
  if (!parsed.success) throw problemsError(problemsOf(parsed.error.issues, value), lineOf);
  const file = parsed.data;

  const warnings: string[] = textWarnings(value, lineOf);
  const problems = [...checkConfiguration(file, warnings), ...checkHost(file, options.host)];
  const sources = await readSources(file, options, problems, warnings);
  if (sources.pack) {
    const { proven, lineOf: ofPack, pack } = sources.pack;
    if (!proven && ofPack) warnings.push(...textWarnings(pack, ofPack, `The pack ${pack?.name}: `));
    problems.push(...checkPolicy(file, sources.pack, warnings));
  }
  if (problems.length > 0 || !sources.pack) throw problemsError(problems, lineOf);

  const configuration = storedForm(complete(file, sources), sources.pack.pack);
  const unsigned = checkSignatures(configuration, options.now ?? Date.now());
  if (unsigned.length > 0)
    throw problemsError(unsigned, lineOf, { unsigned: unsigned.flatMap(({ part }) => part ?? []) });
  return {
    configuration,
    sha256: digestOf(configuration),
    source_sha256: sourceDigest(text, sources),
    modules: [...sources.modules.values()].map(({ bytes }) => bytes),
    warnings,
    ...(options.file && { places: rulePlaces(file, shownFile(options.file), lineOf, sources.pack) }),
  };
}

/** Returns the digest that identifies a configuration file without loading it. Undefined if the file has errors. */
export async function digestOfSource(
  text: string,
  readers: SourceReaders & Pick<LoadOptions, 'schema'>,
): Promise<string | undefined> {
  const parsed = readers.schema.safeParse(readYaml(text, 'The configuration').value);
  if (!parsed.success) return undefined;
  const problems: Problem[] = [];
  const sources = await readSources(parsed.data, readers, problems, []);
  return problems.length === 0 ? sourceDigest(text, sources) : undefined;
}

const sourceDigest = (text: string, { texts }: Sources): string => digestOf([text, ...texts]);
