/**
 * Kubernetes objects in kubectl arguments: `pods,svc`, `pod web-0`, `deploy/web`, with one canonical name for each
 * kind.
 */

import type { Names } from '#core/contracts/shell-programs.ts';
import { splitNames } from '../arguments.ts';

interface Resources {
  /** Objects such as `pod/web-0`, or a kind without a name. */
  readonly objects: readonly string[];
  /** Unknown kinds. */
  readonly unknown: readonly string[];
}

/** Built-in Kubernetes API groups that follow the kind: `deployments.v1.apps`. */
const ownGroups = /^(?:v\d\w*\.?)?(?:apps|batch|autoscaling|policy|[a-z.]+\.k8s\.io)?$/;

/** @param bare the default kind for a name, for commands whose first word is a name (`kubectl logs web-0`). */
export function resourcesOf(
  words: readonly string[],
  kinds: Readonly<Record<string, Names>>,
  bare?: string,
): Resources {
  const unknown = new Set<string>();
  const kind = (written: string): string => {
    const folded = written.toLowerCase();
    const [head = '', ...rest] = folded.split('.');
    const known = Object.entries(kinds).find(([name, names]) => name === head || splitNames(names).includes(head))?.[0];
    if (known !== undefined && (ownGroups.test(rest.join('.')) || known === 'secret')) return known;
    unknown.add(folded);
    return folded;
  };
  const paired = (word: string): string => {
    const [first = '', ...name] = word.split('/');
    return `${kind(first)}/${name.join('/')}`;
  };
  const [first, ...names] = words;
  if (first === undefined) return { objects: [], unknown: [] };
  if (bare !== undefined || first.includes('/')) {
    const objects = words.map((word) =>
      word.includes('/') ? paired(word) : bare === undefined ? kind(word) : `${bare}/${word}`,
    );
    return { objects, unknown: [...unknown] };
  }
  const of = first
    .split(',')
    .filter((word) => word !== '')
    .map(kind);
  const pairs = names.filter((name) => name.includes('/'));
  const bareNames = names.filter((name) => !name.includes('/'));
  // A kind without a name means all objects of that kind.
  const ofKinds = bareNames.length === 0 ? of : of.flatMap((each) => bareNames.map((name) => `${each}/${name}`));
  const objects = [...ofKinds, ...pairs.map(paired)];
  return { objects, unknown: [...unknown] };
}

export const resourceKind = (object: string): string => object.split('/')[0]!;
