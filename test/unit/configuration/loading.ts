/** A configuration with one tenant for loading tests. */
import { loadConfiguration } from '#features/load-configuration.ts';
import { base, packs } from './memory.ts';

export const load = (text: string) => loadConfiguration(text, { packs });
export const tenant = (fields: string) => `version: 1\ntool_policies: { pack: null }\ntenants: [{ id: t1, ${fields} }]`;
export const keys = (list: string) => `
version: 1
people: [{ id: alice, tenants: [other] }, { id: bob }]
tool_policies: { pack: null }
tenants:
  - { id: t1, api_keys: ${list} }
  - { id: other, api_keys: [key-of-the-other-tenant] }`;
export const rules = (list: string) => base().replace('pack: null', `pack: null, rules: ${list}`);

/** Returns the warnings other than those about plain keys, which most test configurations cause. */
export const others = (warnings: readonly string[]) => warnings.filter((each) => !each.includes('in plain text'));

export type Row = [what: string, text: string, expected: string];
