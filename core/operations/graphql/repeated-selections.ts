/**
 * Rejects documents that select one field very often in one place [graphql.limits]. Validation compares such selections
 * and fragments pairwise, so this check runs first.
 */
import { type DocumentNode, type FieldNode, type FragmentDefinitionNode, Kind, type SelectionSetNode } from 'graphql';
import { invalidRequest } from '#core/kernel/errors.ts';
import { assertWithin } from './limits.ts';

/**
 * Maximum of selections of one field, and of fragments, in one place. Clients merge generated selections, and people
 * write a field once.
 */
const maxRepeats = 20;

/** Checks all selections. @throws GatewayError `invalid_request`. */
export function assertFewRepeats({ definitions }: DocumentNode): void {
  const fragments = new Map<string, FragmentDefinitionNode>();
  for (const node of definitions) if (node.kind === Kind.FRAGMENT_DEFINITION) fragments.set(node.name.value, node);
  let visited = 0;

  /** Walks the selections that are merged into one object. */
  const walk = (sets: readonly SelectionSetNode[], depth: number): void => {
    assertWithin('depth', depth);
    const fields = new Map<string, FieldNode[]>();
    const spread = new Set<string>();
    let spreads = 0;
    const collect = ({ selections }: SelectionSetNode): void => {
      for (const selection of selections) {
        assertWithin('cost', ++visited);
        if (selection.kind === Kind.FIELD) {
          const name = (selection.alias ?? selection.name).value;
          const same = fields.get(name) ?? [];
          same.push(selection);
          if (same.length > maxRepeats) throw tooMany(`the field ${name.slice(0, 64)}`);
          fields.set(name, same);
        } else if (selection.kind === Kind.INLINE_FRAGMENT) collect(selection.selectionSet);
        else {
          if (++spreads > maxRepeats) throw tooMany('fragments');
          const { value: name } = selection.name;
          const fragment = fragments.get(name);
          if (!fragment || spread.has(name)) continue;
          spread.add(name);
          collect(fragment.selectionSet);
        }
      }
    };
    for (const set of sets) collect(set);
    for (const same of fields.values()) {
      const below = same.flatMap(({ selectionSet }) => selectionSet ?? []);
      if (below.length > 0) walk(below, depth + 1);
    }
  };

  for (const node of definitions) {
    if (node.kind !== Kind.OPERATION_DEFINITION && node.kind !== Kind.FRAGMENT_DEFINITION) continue;
    visited = 0;
    walk([node.selectionSet], 1);
  }
}

const tooMany = (what: string) =>
  invalidRequest(
    `The query selects ${what} more than ${maxRepeats} times in one place; at most ${maxRepeats} are allowed. Select once what is the same, and use aliases for what is not.`,
    { allowed: maxRepeats },
  );
