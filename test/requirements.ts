/**
 * The guarantees of the gateway. `requirements.yaml` lists them by area: an id, and one or two sentences that could be
 * promised to a customer. Details are in test titles; a test cites the ids it proves: `test('[approval.used-once] …')`.
 * `docs/reference/behaviour.md` is generated from the list.
 */
import * as z from 'zod';
import { readCases } from './support/yaml.ts';

export interface Requirement {
  readonly id: string;
  /**
   * Folder in `features/` that implements the behaviour. If the folder is missing, no test has to prove the behaviour.
   */
  readonly feature?: string;
  readonly says: string;
}

const sentence = z.string().regex(/^\S.*[.…]$/);
const entry = z.union([
  sentence.transform((says) => ({ says })),
  z.strictObject({ feature: z.string(), says: sentence }),
]);
const id = z.string().regex(/^[a-z][a-z0-9-]*(\.[a-z0-9-]+)+$/);

/** The areas of the list, in the order of the generated page. */
export const areas: Readonly<Record<string, readonly Requirement[]>> = readCases(
  'test/requirements.yaml',
  z.record(
    z.string(),
    z.record(id, entry).transform((list) => Object.entries(list).map(([name, of]) => ({ id: name, ...of }))),
  ),
);

export const requirements: readonly Requirement[] = Object.values(areas).flat();
