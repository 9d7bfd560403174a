/** Finds disallowed content in the arguments of an MCP tool call [guard.arguments]. */
import { networkOfHost } from '#core/catalog/networks.ts';
import { injected } from '#core/catalog/program-lines.ts';
import type { OwnNetworks } from '#core/contracts/config/catalog.ts';
import { creditCard } from '#core/models/content-policy/credit-card.ts';
import { iban } from '#core/models/content-policy/iban.ts';
import { ssn } from '#core/models/content-policy/ssn.ts';
import { wordsIn } from '#core/policy/classification/tool-words.ts';
import { encodedParts } from '#core/text/decode/encoded-parts.ts';
import { issuedRanges } from '#core/text/secrets/secret-formats.ts';
import { secrecyOf } from '#core/text/secrets/secret-names.ts';
import { isSecretPath as isListed } from '#core/text/secrets/secret-paths.ts';
import type { ArgumentKind, Finding, Severity } from './finding.ts';

export type ArgumentFinding = Finding<ArgumentKind>;

/** Names of parameters with short values that have no grammar: identifiers, paths, hosts, addresses. */
const narrow = new Set(
  `path file filename filepath dir directory folder name id ids host hostname domain server branch ref repo repository owner
  user username email to recipient url uri link address ip port bucket key table column field database db project
  namespace cluster region zone tag version package module channel workspace issue number sha commit locale lang timezone
  city country symbol currency format type status state sort order limit offset page slug team org organization device
  service resource image container pod job environment profile role group label color width height filter destination
  dest source src target`.split(/\s+/),
);
const addresses = new Set('url uri link href endpoint webhook callback address website'.split(' '));
const maxLevels = 64;
const maxFindings = 20;

/** Facts about the deployment. */
interface OwnFacts {
  /** Test for paths that includes the deployment's own secret files. @default the catalog only */
  readonly isSecretPath?: (path: string) => boolean;
  readonly networks?: OwnNetworks | undefined;
}

/**
 * Returns the findings in the arguments of a call.
 * @throws RangeError for arguments that are nested too deeply.
 */
export function checkArguments(
  parameters: Readonly<Record<string, unknown>>,
  { isSecretPath = isListed, networks }: OwnFacts = {},
): ArgumentFinding[] {
  const findings: ArgumentFinding[] = [];
  walk(parameters, 'parameters', '', 0, { findings, isSecretPath, networks });
  if (definitionsIn(parameters) >= 2)
    findings.push({
      kind: 'prompt',
      where: 'parameters',
      severity: 'high',
      description: 'Definitions of tools.',
    });
  return findings;
}

/** Counts tool definitions in the formats of MCP, Anthropic and OpenAI. `walk` has already checked the nesting. */
function definitionsIn(value: unknown): number {
  if (value === null || typeof value !== 'object') return 0;
  const { name, inputSchema, input_schema, parameters } = value as Readonly<Record<string, unknown>>;
  const isSchema = (each: unknown) => each !== null && typeof each === 'object' && Object.hasOwn(each, 'type');
  const own = typeof name === 'string' && [inputSchema, input_schema, parameters].some(isSchema) ? 1 : 0;
  return Object.values(value).reduce((sum: number, item) => sum + definitionsIn(item), own);
}

interface Walk {
  readonly findings: ArgumentFinding[];
  readonly isSecretPath: (path: string) => boolean;
  readonly networks: OwnNetworks | undefined;
}

function walk(value: unknown, where: string, name: string, level: number, state: Walk): void {
  if (state.findings.length >= maxFindings) return;
  if (level > maxLevels) throw new RangeError('The arguments are nested too deeply.');
  if (typeof value === 'string') textFindings(value, where, name, state);
  if (value === null || typeof value !== 'object') return;
  if (Array.isArray(value)) {
    for (const [at, item] of value.entries()) walk(item, `${where}[${at}]`, name, level + 1, state);
    return;
  }
  for (const [key, item] of Object.entries(value)) {
    const shown = /^[A-Za-z_][A-Za-z0-9_]{0,31}$/.test(key) ? key : '*';
    walk(item, `${where}.${shown}`, key, level + 1, state);
  }
}

function textFindings(text: string, where: string, name: string, { findings, isSecretPath, networks }: Walk): void {
  if (text.length < 3) return;
  const add = (kind: ArgumentKind, severity: Severity, description: string) =>
    void findings.push({ kind, where, severity, description });
  const words = wordsIn(name);
  const last = words.at(-1) ?? '';
  const short = narrow.has(last) && text.length <= 2_048;
  if (short && commands.test(text)) add('command', 'high', 'Shell syntax in a value that is not a command.');
  else if (short && brokenOut.test(text))
    add('command', 'high', 'SQL after a quotation mark in a value that is not SQL.');
  if (isTemplate(text, short)) add('template', 'high', 'A template engine expression.');
  if (short && isHiddenPath(text))
    add('path', 'high', 'A path that climbs to a parent folder, encodes its dots or slashes, or contains a NUL.');
  else if (short && isSecretPath(text)) add('path', 'high', 'The path of a file that holds keys or credentials.');
  if ((short || words.some((word) => addresses.has(word)) || !/\s/.test(text)) && isHostile(text, last, networks))
    add('url', 'high', 'A cloud metadata address, a disguised host, or a scheme that services do not use.');
  if (secrecyOf(name) === 'none' && holdsSecret(text))
    add('secret', 'high', 'A token or private key under a name that does not suggest a secret.');
  if (holdsPersonal(text)) add('personal_data', 'medium', 'A card number, IBAN or social security number.');
  if (holdsPrompt(text)) add('prompt', 'high', 'System prompt text, or tool definitions.');
}

const commands = new RegExp(
  String.raw`(?:;|\|\||&&|\||&|\n)\s{0,4}(?:/(?:usr/)?s?bin/)?(?:${injected.replaceAll(' ', '|')})(?=[\s;|&<>$"'\x60)]|$)|\$\([^)\n]{1,400}\)|\x60[^\x60\n]{2,400}\x60|\$\{IFS\}|\$IFS|>\s{0,2}/(?:dev|etc|tmp)/|<\([^)\n]{1,200}\)|^--?[a-z-]{1,30}=[^\n]{0,100}(?:;|\||\$\()|^-{1,2}(?:upload-pack|receive-pack|exec|output|config|proxycommand|o)(?:=|\s)`,
  'i',
);
/** Text after the quotation mark that closes a value: a condition, another statement or a union. */
const brokenOut =
  /['"]\s{0,8}\)?\s{0,8}(?:(?:or|and|\|\||&&)\s{1,8}(?:not\s{1,8})?['"(]{0,2}\w{0,32}['")]{0,2}\s{0,8}(?:[=<>]|like\b|between\b|is\b)|;\s{0,8}(?:drop|delete|update|insert|alter|create|truncate|exec|grant)\s|union\s{1,8}(?:all\s{1,8})?select\s)/i;

const everywhere =
  /\$\{(?:\s{0,4}jndi|\s{0,4}(?:lower|upper|env|sys|java):)|__proto__|constructor\.constructor|T\(java\.lang|freemarker\.template|\{\{\s{0,4}(?:self|config|request|cycler|joiner|lipsum|''|""|\[\])[.[_]|__class__|__globals__|__import__\(|process\.mainModule|Runtime\.getRuntime/i;
const inShort =
  /\{\{[^}\n]{1,200}\}\}|<%[^%\n]{1,200}%>|\{%[^%\n]{1,200}%\}|#\{[^}\n]{1,200}\}|\$\{[^}\n]{1,200}\}|\[\[\$\{/;
const isTemplate = (text: string, short: boolean): boolean => everywhere.test(text) || (short && inShort.test(text));

const encodedStep =
  /(?:%2e|\.)(?:%2e|\.)(?:%2f|%5c|%252f|%c0%af|\u2215|\u2044|\uff0f)|%2e%2e[\\/]|%252e|\.\.;\/|\.{4}\/\/|%00/i;
const isHiddenPath = (text: string): boolean =>
  encodedStep.test(text) ||
  text.includes('\0') ||
  (text.match(/(?:^|[\\/])\.\.(?=[\\/]|$)/g)?.length ?? 0) >= 3 ||
  /^(?:[\\/]{2}[^\\/\s]{1,64}[\\/])(?:c|admin|ipc)\$/i.test(text) ||
  /(?:^|\/)\.\.\/(?:\.\.\/)*(?:etc|root|proc|var\/run|home)\//.test(text);

const schemes =
  /^\s{0,4}(?:file|gopher|dict|ldaps?|jar|netdoc|phar|php|expect|javascript|vbscript|view-source|tftp|sftp):(?!\d)/i;
const dataPage = /^\s{0,4}data:text\/html/i;
const oddHost =
  /^[a-z][a-z0-9+.-]{1,20}:\/\/(?:[^/@\s]{0,200}@)?(?:\d{8,10}|0x[0-9a-f]{6,8}|0[0-7]{8,12}|(?:0x[0-9a-f]{1,2}|0[0-7]{1,3})(?:\.(?:0x[0-9a-f]{1,2}|0?[0-9]{1,3})){1,3}|127\.\d{1,6}|0)(?=[/:?#]|$)/i;
const disguised = /^https?:\/\/[^/@\s:]{0,64}\.(?:com|org|net|io|dev|gov)(?::[^/@\s]{0,64})?@/i;
/** Hosts in addresses anywhere in text: IPv6, or a name or IPv4 address. */
const hostInText = /\/\/(?:[^/\s]{0,200}@)?(?:\[?([0-9a-f]{0,4}:[0-9a-f:.]*[0-9a-f])|([\w.-]+))/gi;
/** A host at the start of text, without a scheme. */
const bareHost = /^[\w-]+(?:\.[\w-]+)+(?=[/:]|$)/;

/**
 * Reports whether text contains the address of a metadata service, or a link-local address, where such services run.
 */
function namesMetadata(text: string, networks: OwnNetworks | undefined): boolean {
  const hosts = text.matchAll(hostInText);
  const isMetadata = ([, v6, name = '']: RegExpExecArray): boolean => {
    const network = networkOfHost(v6 ?? URL.parse(`http://${name}`)?.hostname ?? name, networks);
    return network === 'metadata' || network === 'link-local';
  };
  return hosts.some(isMetadata) || networkOfHost(bareHost.exec(text)?.[0] ?? '', networks) === 'metadata';
}

const isHostile = (text: string, name: string, networks: OwnNetworks | undefined): boolean => {
  const start = text.slice(0, 2_048);
  // MCP resources and language-server documents are files identified by a URI.
  if ((name === 'uri' || name === 'uris') && start.startsWith('file:///')) return false;
  return (
    schemes.test(start) ||
    dataPage.test(start) ||
    namesMetadata(start, networks) ||
    oddHost.test(start) ||
    disguised.test(start)
  );
};

/** Maximum number of decoded characters per string. */
const decodedCharacters = 64 * 1024;

/** Reports whether text contains an issued secret, either directly or encoded. */
function holdsSecret(text: string): boolean {
  if (isIssued(text)) return true;
  let left = decodedCharacters;
  for (const part of encodedParts(text)) {
    if (isIssued(part.text.slice(0, left))) return true;
    left -= part.text.length;
    if (left <= 0) return false;
  }
  return false;
}

const isIssued = (text: string): boolean => issuedRanges(text).length > 0;

const digits = /\d{3}/;
function holdsPersonal(text: string): boolean {
  if (!digits.test(text) || text.length > 65_536) return false;
  return [creditCard, iban, ssn].some((entity) => entity.find(text, 0).length > 0);
}

const promptMarks = [
  /\byou are (?:a|an) (?:helpful |expert |ai |coding |personal |research |friendly ){0,4}(?:assistant|agent|model|chatbot)\b/i,
  /<\|im_start\|>|<<SYS>>|\[INST\]|<system>|<\/system>|<system[-_]prompt>/i,
  /"?(?:inputSchema|input_schema)"?\s{0,4}:\s{0,4}\{/,
  /\bknowledge cutoff\b|\bmy (?:system prompt|initial instructions) (?:is|are|says?)\b|\bhere (?:is|are) my (?:system prompt|instructions|tools)\b/i,
  /^#{1,3} (?:Tools|Instructions|System|Rules|Guidelines)\s{0,4}$/im,
  /\b(?:system prompt|conversation history|available tools|tool definitions)\s{0,2}[:=]/i,
];
/**
 * Reports whether text contains a prompt. A single mark may occur by chance in text about prompts, but two marks count
 * as a prompt.
 */
function holdsPrompt(text: string): boolean {
  const start = text.slice(0, 65_536);
  return (
    promptMarks.filter((mark) => mark.test(start)).length >= 2 ||
    (start.match(/"(?:inputSchema|input_schema)"/g)?.length ?? 0) >= 2
  );
}
