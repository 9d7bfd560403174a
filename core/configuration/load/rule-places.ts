/** Locations of a configuration's rules in its files, as `file:line` [policy-version.numbered]. */
import { posix } from 'node:path';
import { levelsWithRules } from '#core/configuration/identity/organization.ts';
import type { ConfigurationFile } from '#core/contracts/config.ts';
import { guardName } from '#core/contracts/guard-names.ts';
import type { RulePlaces } from '../store/places.ts';
import type { ResolvedPack } from './pack-source.ts';
import type { YamlDocument } from './yaml.ts';

type LineOf = YamlDocument['lineOf'];

interface Rules {
  readonly tool_policies: Pick<ConfigurationFile['tool_policies'], 'pack' | 'rules'>;
  readonly organizations: ConfigurationFile['organizations'];
}

/**
 * Returns the locations of rules, guards and level rules.
 * @param name of the configuration file, as returned by `shownFile`
 */
export function rulePlaces(
  file: Rules,
  name: string,
  lineOf: LineOf,
  source: Pick<ResolvedPack, 'pack' | 'entries' | 'lineOf'>,
): RulePlaces {
  const at = (path: readonly PropertyKey[]): string => `${name}:${lineOf(path) ?? 1}`;
  const { pack } = file.tool_policies;
  const packName = typeof pack === 'string' ? packFile(pack) : name;
  const inPack = (path: readonly PropertyKey[]): string =>
    source.lineOf ? `${packName}:${source.lineOf(path) ?? 1}` : at(['tool_policies', 'pack', ...path]);
  const { guards = [] } = source.pack ?? {};
  return {
    rules: [
      ...file.tool_policies.rules.map((_, i) => at(['tool_policies', 'rules', i])),
      ...source.entries.map((entry) => inPack(['rules', entry])),
    ],
    // Several entries with the same name form one guard, so the first line is kept.
    guards: Object.fromEntries(guards.map((guard, i) => [guardName(guard), inPack(['guards', i])] as const).reverse()),
    levels: Object.fromEntries(
      levelsWithRules(file).map(({ path, rules: ofLevel, at: where }) => [
        path,
        ofLevel.map((_, i) => at([...where, i])),
      ]),
    ),
  };
}

/** Returns a pack's file: the name of a shipped pack, otherwise the configured path. */
const packFile = (pack: string): string => (/[./\\]/.test(pack) ? shownFile(pack) : `policies/${pack}.yaml`);

const maxCharacters = 120;

/**
 * Returns a file path that may be shown and stored. Of the host's folders, it reveals only those below the
 * configuration's folder.
 */
export function shownFile(path: string): string {
  const plain = posix.normalize(path.replaceAll('\\', '/'));
  const shown = posix.isAbsolute(plain) || /^(?:\.\.(?:\/|$)|[A-Za-z]:)/.test(plain) ? posix.basename(plain) : plain;
  return [...shown.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, '')].slice(-maxCharacters).join('') || 'configuration';
}
