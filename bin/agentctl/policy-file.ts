/**
 * Reads configuration and pack files as the gateway does on startup. It imports the decision engine, so commands load
 * this file only when they run.
 */
import { dirname, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { packFiles } from '#adapters/files/pack-files.ts';
import { pathsFrom, sourceFiles } from '#adapters/files/source-files.ts';
import { lazyEffects } from '#adapters/sql/lazy-effects.ts';
import type { SimulatedCall } from '#core/actions/simulate.ts';
import { entriesOfRules } from '#core/catalog/rule-sets.ts';
import { unsetSecrets } from '#core/configuration/checks/unset-secrets.ts';
import { buildPolicyDocument } from '#core/configuration/load/policy-document.ts';
import { rulePlaces, shownFile } from '#core/configuration/load/rule-places.ts';
import { readYaml, type YamlDocument } from '#core/configuration/load/yaml.ts';
import { findIn, noRulePlaces, type RulePlaces } from '#core/configuration/store/places.ts';
import type { Configuration } from '#core/contracts/config.ts';
import type { PackFile, ToolPolicyDocument } from '#core/contracts/tool-policy.ts';
import { invalidRequest } from '#core/kernel/errors.ts';
import { fields } from '#core/kernel/json-fields.ts';
import { decidedBy, decidedCalls } from '#core/operations/decided-calls.ts';
import { parsePack } from '#core/policy/rules/pack.ts';
import { configurationSchema } from '#features/configuration.ts';
import { loadConfiguration } from '#features/load-configuration.ts';
import { fileBytes } from './call-options.ts';

const checkout = fileURLToPath(new URL('../..', import.meta.url));

export interface ReadConfiguration {
  readonly configuration: Configuration;
  readonly warnings: readonly string[];
  /** Line numbers of the rules; absent for a configuration served by a gateway. */
  readonly places?: RulePlaces;
  /** True if the file is only a pack; the other keys are then placeholders. */
  readonly packOnly?: true;
}

/**
 * Reads a file.
 * @throws GatewayError `invalid_request` listing every problem, as the gateway does; UsageError for an unreadable file.
 */
export async function readConfigurationFile(file: string): Promise<ReadConfiguration> {
  const packs = packFiles(resolve(checkout, 'policies'), dirname(resolve(file)));
  return loadConfiguration(readUtf8(file), { packs, files: sourceFiles(checkout, pathsFrom(file, checkout)), file });
}

/** Reads a configuration file, or a file that is only a pack. @throws the same errors as `readConfigurationFile`. */
export async function readPolicyFile(file: string): Promise<ReadConfiguration> {
  const { value, lineOf } = readYaml(readUtf8(file), file);
  const { version, rules } = fields(value);
  if (version !== undefined || rules === undefined) return readConfigurationFile(file);
  const pack = parsePack(value, file);
  const configuration = configurationWithPack(pack);
  const places = rulePlaces(configuration, shownFile(file), lineOf, {
    pack,
    entries: entriesOfRules(rules as PackFile['rules']),
    lineOf,
  });
  return { configuration, warnings: [], places, packOnly: true };
}

function configurationWithPack(pack: ReturnType<typeof parsePack>): Configuration {
  const bare = configurationSchema.parse({
    version: 1,
    tenants: [{ id: 'default', api_keys: [{ key_env: 'UNUSED' }] }],
  });
  return asStored({ ...bare, tool_policies: { ...bare.tool_policies, pack } });
}

/** Parses a configuration served by a gateway, with its pack inline. @throws GatewayError for another format. */
export function servedConfiguration(document: unknown): Configuration {
  const parsed = configurationSchema.safeParse(document);
  if (!parsed.success)
    throw invalidRequest('The configuration of the server has an unknown form: client and server differ in version.');
  return asStored(parsed.data);
}

// The types differ only in pack names: a stored configuration contains its pack.
const asStored = (file: unknown): Configuration => file as Configuration;

export const policyOf = ({ configuration }: Pick<ReadConfiguration, 'configuration'>): ToolPolicyDocument =>
  buildPolicyDocument(configuration);

/**
 * Returns a function that evaluates calls like the gateway's `simulate`, but without the gateway's inventory of MCP
 * servers.
 */
export function simulator({ configuration, places }: Pick<ReadConfiguration, 'configuration' | 'places'>) {
  const evaluated = decidedBy(configuration);
  const ports = { effects: lazyEffects, calls: undefined, links: undefined, judges: [], pause: async () => {} };
  const place = places ? findIn(places) : noRulePlaces;
  return async (call: SimulatedCall, explain?: boolean) => {
    const [decided] = await decidedCalls(ports, evaluated, [call], { place, explain });
    return decided!;
  };
}

/** Returns the secrets that the configuration names but this process does not have. */
export const unsetHere = (configuration: Configuration): Promise<string[]> =>
  unsetSecrets(configuration, { get: async (name) => process.env[name] });

/** Reads a YAML file. @throws GatewayError `invalid_request` for text that is not YAML. */
export const readYamlFile = (file: string, needs: string): YamlDocument => readYaml(readUtf8(file), file, needs);

const readUtf8 = (file: string): string => fileBytes(file).toString('utf8');
