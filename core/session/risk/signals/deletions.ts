/** Finds deletions and determines how severe they are. Build output may be deleted. */
import { asText } from '#core/kernel/as-text.ts';
import { commandWords, type Finder, riskyOperation } from './call.ts';

/** Folders and files that the next build recreates. */
const scratch =
  /(?:^|\/)(?:node_modules|dist|build|out|target|coverage|tmp|temp|\.cache|\.next|\.nuxt|\.turbo|\.venv|venv|__pycache__|\.pytest_cache|\.mypy_cache|\.nyc_output|\.gradle|cmake-build-[a-z]+|obj|bin\/Debug)(?:\/|$)|\.(?:log|tmp|pyc|o|class|bak|swp|orig|rej|tsbuildinfo)$|^\/(?:tmp|var\/tmp)\/.+/i;
/** Whole trees and system folders. */
const everything = /^(?:\/|~|\/home(?:\/[^/]+)?|\/(?:etc|var|usr|boot|opt|srv|lib|root)|\.|\*|\/\*)\/?$/;
const graveLine = /^(?:mkfs\S*|wipefs|dropdb)/;

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
    const line = commandWords(call).join(' ');
    const grave = graveLine.exec(line)?.[0];
    if (grave !== undefined) return { kind: 'destroy', object: grave, weight: 3 };
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

/** Reports whether all paths of a target are build output. */
const isScratch = (target: string): boolean =>
  target.split(/\s+/).every((path) => scratch.test(path) || path.startsWith('-'));
