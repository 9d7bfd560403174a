/** Objects of Kubernetes as kubectl takes them: `pods,svc`, `pod web-0`, `deploy/web`, each under the one name of its kind. */
import { namesOf } from '../arguments.ts';
import type { Names } from '../profiles/profile.ts';

interface Resources {
  /** `pod/web-0`, or a kind alone. */
  readonly objects: readonly string[];
  /** Kinds that are not known. */
  readonly unknown: readonly string[];
}

/** Groups of the kinds that Kubernetes itself has, behind the kind: `deployments.v1.apps`. */
const ownGroups = /^(?:v\d\w*\.?)?(?:apps|batch|autoscaling|policy|[a-z.]+\.k8s\.io)?$/;

/** @param bare the kind of a word without one, of commands whose first word is a name (`kubectl logs web-0`). */
export function resourcesOf(
  words: readonly string[],
  kinds: Readonly<Record<string, Names>>,
  bare?: string,
): Resources {
  const unknown = new Set<string>();
  const kind = (written: string): string => {
    const folded = written.toLowerCase();
    const [head = '', ...rest] = folded.split('.');
    const known = Object.entries(kinds).find(([name, names]) => name === head || namesOf(names).includes(head))?.[0];
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
  // A kind that no name follows is meant as a whole.
  const ofKinds = bareNames.length === 0 ? of : of.flatMap((each) => bareNames.map((name) => `${each}/${name}`));
  const objects = [...ofKinds, ...pairs.map(paired)];
  return { objects, unknown: [...unknown] };
}

/** The kind of an object. */
export const kindOf = (object: string): string => object.split('/')[0]!;
