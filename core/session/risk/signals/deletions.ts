/** Finds deletions and determines how severe they are. Deleting build output is allowed. */
import { recreated } from '#core/catalog/file-kinds.ts';
import { folders } from '#core/catalog/file-names.ts';
import { isOfKind } from '#core/catalog/program-kind.ts';
import { erasing } from '#core/catalog/program-kinds.ts';
import { asText } from '#core/kernel/as-text.ts';
import { isFileOfKind } from '#core/text/matching/file-kind.ts';
import { commandWords, type Finder, riskyOperation } from './call.ts';

/** Matches whole trees and system folders. */
const everything = new RegExp(
  String.raw`^(?:\/|~|\/home\/[^/]+|\/(?:${[folders.system, folders.shared].join(' ').replaceAll(' ', '|')})|\.|\*|\/\*)\/?$`,
);

export const deletion: Finder = (call) => {
  const { protocol, capability, word, target } = call;
  if (protocol === 'sql') {
    if (capability !== 'delete') return undefined;
    const grave = word === 'truncate' || word === 'drop' || call.parameters.has_where === false;
    return { kind: 'destroy', object: `${word} ${target}`.trim(), ...(grave && { weight: 3 }) };
  }
  if (protocol === 'shell') {
    const operation = riskyOperation(call, 'destroys');
    if (operation !== undefined) return { kind: 'destroy', object: operation, weight: 3 };
    const [program = ''] = commandWords(call);
    if (isOfKind(program, erasing)) return { kind: 'destroy', object: program, weight: 3 };
    if (capability !== 'delete' && word !== 'rm') return undefined;
    // Git's cleanup commands lose at most the contents of the working tree.
    if (word === 'git') return { kind: 'destroy', object: `git ${target.split(' ')[0]}` };
    if (target === '' || isScratch(target)) return undefined;
    return { kind: 'destroy', object: target, ...(everything.test(target) && { weight: 3 }) };
  }
  if (capability !== 'delete') return undefined;
  if (
    /^delete_(?:repo|repository|project|organization|org|bucket|database|table|cluster|stack|branch_protection)$/.test(
      word,
    )
  )
    return { kind: 'destroy', object: `${word} ${target}`.trim(), weight: 3 };
  return { kind: 'destroy', object: `${word} ${asText(call.parameters.path ?? target)}`.trim() };
};

/** Checks whether all paths in a target are build output. */
const isScratch = (target: string): boolean =>
  target.split(/\s+/).every((path) => isFileOfKind(path, recreated) || path.startsWith('-'));
