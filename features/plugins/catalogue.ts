/** Searches an index and selects the version of a plugin to install. */

import type { PluginEntry, PluginIndex } from '#core/configuration/supply-chain/documents.ts';
import { refuseDocument } from '#core/configuration/supply-chain/refusal.ts';

/** Returns the plugins whose name, description or tags contain all of the words, ignoring case. */
export function searchPlugins({ plugins }: PluginIndex, words: readonly string[]): PluginEntry[] {
  return plugins.filter(({ name, description, tags }) => {
    const text = [name, description, ...tags].join(' ').toLowerCase();
    return words.every((word) => text.includes(word.toLowerCase()));
  });
}

/**
 * Returns the newest version that is not yanked, or the exact version given as `name@1.2.0`.
 * @throws SupplyChainRefusal `plugin_unknown` or `plugin_yanked`
 */
export function newestVersion({ plugins }: PluginIndex, wanted: string): PluginEntry {
  const [name, version] = wanted.split('@');
  const fitting = plugins.filter(
    (entry) => entry.name === name && (version === undefined || entry.version === version),
  );
  if (fitting.length === 0) return refuseDocument('plugin_unknown', `the index has no plugin ${wanted}`);
  const [found] = fitting.filter(({ yanked }) => !yanked).sort((a, b) => compareVersions(b.version, a.version));
  return found ?? refuseDocument('plugin_yanked', `${wanted} is withdrawn by its index; choose another version`);
}

/**
 * Checks that an installation is not a downgrade.
 * @throws SupplyChainRefusal `downgrade` if a newer version is installed.
 */
export function assertNoDowngrade(installed: { readonly version: string } | undefined, entry: PluginEntry): void {
  if (installed && compareVersions(entry.version, installed.version) < 0)
    refuseDocument(
      'downgrade',
      `${entry.name} ${installed.version} is installed; ${entry.version} needs --allow-downgrade`,
    );
}

/** Compares two versions: negative, zero or positive if the first is older, equal or newer. */
export function compareVersions(one: string, other: string): number {
  const [a, b] = [one, other].map((version) => version.split('.').map(Number));
  return a!.map((part, at) => part - b![at]!).find((difference) => difference !== 0) ?? 0;
}
