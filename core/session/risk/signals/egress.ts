/** Finds egress: data sent to unknown hosts by copying, mail or a push. */

import { isOfKind } from '#core/catalog/program-kind.ts';
import { connecting, copiesToBuckets, copying, mailing } from '#core/catalog/program-kinds.ts';
import { sharing } from '#core/catalog/tool-names.ts';
import { asText } from '#core/kernel/as-text.ts';
import { wordSet } from '#core/kernel/word-set.ts';
import { wordsIn } from '#core/policy/classification/tool-words.ts';
import { sendingVerbs } from '#core/policy/classification/verbs.ts';
import { type Call, commandWords, type SignalMatch } from './call.ts';

const sharedObjects = wordSet(sharing.objects);
const copies: ReadonlySet<string> = new Set(copiesToBuckets);
/** Query string length above which a read may carry data out. */
const longQuery = 256;

export function egressOf(call: Call, isKnownHost: (host: string) => boolean): SignalMatch | undefined {
  const strange = (host: string | undefined): SignalMatch | undefined =>
    host === undefined || host === '' || isKnownHost(host) ? undefined : { kind: 'sink', object: host };
  switch (call.protocol) {
    case 'http': {
      const tells = asText(call.parameters.query ?? '').length > longQuery;
      return call.capability !== 'read' || tells ? strange(hostOf(call)) : undefined;
    }
    case 'sql':
      return call.word === 'copy' && call.capability === 'execute'
        ? { kind: 'sink', object: 'a program of the database server' }
        : undefined;
    case 'shell':
      return byCommand(call, strange);
    case 'git':
      return call.word === 'create_gist' ? { kind: 'push', object: 'a gist' } : undefined;
    default:
      return byTool(call);
  }
}

function byCommand(
  call: Call,
  strange: (host: string | undefined) => SignalMatch | undefined,
): SignalMatch | undefined {
  const { word, capability, target } = call;
  const words = commandWords(call);
  if (word === 'curl' || word === 'wget') {
    const address = hostIn(target);
    const tells = target.includes('?') && target.length - target.indexOf('?') > longQuery;
    return capability === 'write' || tells ? strange(address) : undefined;
  }
  const pushed = call.branches.find(({ remote }) => remote !== undefined)?.remote;
  if (pushed !== undefined && capability !== 'read')
    return strange(hostIn(pushed)) ?? { kind: 'push', object: pushed || 'origin' };
  if (isOfKind(word, copying)) {
    const last = words.at(-1) ?? '';
    // The host of a copy target. Copying from a host does not count as egress.
    const remote = /^(?:[^@/\s]+@)?([^/:\s]+):/.exec(last)?.[1];
    return capability === 'delete' ? undefined : strange(remote);
  }
  if (isOfKind(word, mailing)) return { kind: 'sink', object: 'mail' };
  if (isOfKind(word, connecting)) return strange(words.slice(1).find((each) => !each.startsWith('-')));
  const { operation, objects } = call.parameters;
  if (operation === 'gist create') return { kind: 'push', object: 'a gist' };
  const copied = copies.has(asText(operation ?? '')) && Array.isArray(objects) ? asText(objects.at(-1)) : '';
  const bucket =
    /^(?:s3|gs):\/\/[^/\s]+/.exec(copied)?.[0] ??
    /^(?:gsutil (?:-m )?(?:cp|rsync) .*|rclone (?:copy|sync|move) .*) ((?:s3|gs):\/\/[^/\s]+|[\w-]+:)\S*(?: --\S+)*$/.exec(
      words.join(' '),
    )?.[1];
  return bucket === undefined ? undefined : { kind: 'sink', object: bucket };
}

/** Recognises an MCP tool by its name: `send_email`, `slack_post_message`. Messages are assumed to go to colleagues. */
function byTool({ word, capability }: Call): SignalMatch | undefined {
  if (capability === 'read') return undefined;
  const parts = wordsIn(word);
  const sends = parts.some((part) => sendingVerbs.has(part)) && parts.some((part) => sharedObjects.has(part));
  return sends ? { kind: 'push', object: word } : undefined;
}

export const hostOf = ({ parameters, target }: Call): string | undefined => {
  const { host } = parameters;
  return typeof host === 'string' && host !== '' ? host : hostIn(target);
};

/** Returns the host of `https://host/…`, `git@host:…`, or `host/…` with a dot in the host. */
export function hostIn(text: string): string | undefined {
  const [, url] = /^[a-z][a-z0-9+.-]*:\/\/(?:[^/@\s]*@)?(\[[^\]]+\]|[^/:?#\s]+)/i.exec(text) ?? [];
  if (url !== undefined) return url.toLowerCase();
  const [, copy] = /^[\w.-]+@([\w.-]+):/.exec(text) ?? [];
  if (copy !== undefined) return copy.toLowerCase();
  return /^([a-z0-9-]+(?:\.[a-z0-9-]+)+)(?=[:/?#]|$)/i.exec(text)?.[1]?.toLowerCase();
}
