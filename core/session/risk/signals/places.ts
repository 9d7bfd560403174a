/** Finds the places that a call reaches: hosts, repositories, databases. Local files do not count as places. */
import { isOfKind } from '#core/catalog/program-kind.ts';
import { connecting, copying, reaching, remote } from '#core/catalog/program-kinds.ts';
import { commandWords, type Finder } from './call.ts';
import { hostIn, hostOf } from './egress.ts';

const bareHost = /^(?:[^@/\s]+@)?([a-z0-9-]+(?:\.[a-z0-9-]+)+|(?:\d{1,3}\.){3}\d{1,3})(?::.*)?$/i;

export const findPlace: Finder = (call) => {
  const { protocol, target, word } = call;
  if (protocol === 'http') return placeMatch('host', hostOf(call));
  if (protocol === 'git') return placeMatch('repository', repositoryOf(target));
  if (protocol === 'sql') return placeMatch('database', call.parameters.database);
  if (protocol !== 'shell' || !isOfKind(word, reaching, remote, copying, connecting)) return undefined;
  const named = commandWords(call)
    .slice(1)
    .flatMap((each) => hostIn(each) ?? bareHost.exec(each)?.[1] ?? [])[0];
  return placeMatch('host', named);
};

const placeMatch = (what: string, name: unknown) =>
  typeof name !== 'string' || name === ''
    ? undefined
    : ({ kind: 'place', object: `${what} ${name.toLowerCase()}` } as const);

/** Returns the repository of a target, such as `acme/web` for `acme/web/src/a.ts`. */
const repositoryOf = (target: string): string => target.split('/').slice(0, 2).join('/');
