/** Argument names that show that a call does more than its tool's name implies. */

import type { Capability } from '#core/contracts/envelope.ts';
import { wordSet } from '#core/kernel/word-set.ts';

type Change = Exclude<Capability, 'read'>;
/** Arguments whose value names the operation. */
export const operationKeys = wordSet('action actions op operation operations ops rpc subcommand verb verbs');

/** Arguments whose value may name the operation or something else, so only a verb that implies a change counts. */
export const modeKeys = wordSet('intent mode');
/** Arguments for text written by people. JSON in this text is not inspected. */
export const writtenKeys = wordSet('body comment content description message prompt text title');
/** Nouns in an argument such as `cache_to` that indicate that data is sent. */
export const sendingNouns = wordSet('cache deliver email log mail post');
/** Modes that open a file for writing (`fopen`). */
export const writingModes = /^(?:[wax]b?\+?|r\+|rb\+|r\+b|[wax]\+?b)$/;

/** HTTP and WebDAV methods that only read. */
export const readingMethods = wordSet('get head options propfind query report search trace');
export const writingMethods: ReadonlyMap<string, Change> = new Map([
  ...['copy', 'lock', 'mkcol', 'move', 'patch', 'post', 'proppatch', 'put', 'unlock'].map(
    (method) => [method, 'write'] as const,
  ),
  ['connect', 'execute'],
  ['delete', 'delete'],
  ['purge', 'delete'],
]);

/** First words of switches that only include or exclude parts of the response, without changing anything. */
export const excludingSwitches = wordSet('dont dry except exclude hide include includes no not only show skip without');

/** Verbs that normally imply a change but that, as a switch, only control how a response is formatted or found. */
export const shownVerbs = wordSet(`
  align close compress connect decompress deduplicate encode expand extract fill flip follow format highlight join minimize
  redact refresh retry sanitize scale simplify split strip transform translate trim`);

/** Nouns that imply a change when used as a switch: `commit: true`. */
export const switches: ReadonlyMap<string, Change> = new Map([
  ...['ack', 'archive', 'block', 'charge', 'commit', 'email', 'export', 'invite', 'mail', 'post', 'share'].map(
    (word) => [word, 'write'] as const,
  ),
  ['run', 'execute'],
  ['trigger', 'execute'],
  ['dump', 'delete'],
  ['empty', 'delete'],
]);

/** Arguments whose name alone implies a change, regardless of the value: `{delete: 'a.txt'}`. */
export const valuedVerbs = wordSet(`
  append create delete deploy destroy drop eval exec execute grant insert invoke kill overwrite patch purge put remove rename replace reset
  revoke terminate truncate update upsert write`);

/** Arguments that hold replacement text. */
export const replacements = wordSet(
  'new_content new_contents new_string new_text new_value replacement replace_with substitution',
);
/** Members that, together with one of `calledWith`, turn an object into a call to another tool. */
export const calledTools = ['tool', 'tool_name', 'toolName', 'function'];
export const calledWith = ['arguments', 'args', 'input', 'parameters', 'params', 'tool_input', 'toolInput'];

/** MongoDB stages and operators that write data or run a program. In a pipeline, `$set` only computes. */
export const databaseOperators: ReadonlyMap<string, Change> = new Map([
  ['$out', 'write'],
  ['$merge', 'write'],
  ['$where', 'execute'],
  ['$function', 'execute'],
  ['$accumulator', 'execute'],
]);

/** Arguments that name a recipient of the result. */
export const listeners = wordSet('callback callback_url notify_url webhook webhook_url');

/** Words in a switch that request hidden values: `with_decryption: true`. */
export const revealingSwitches = wordSet('decrypted decryption plaintext reveal revealed unmask unmasked unredacted');

/** First words of argument names for an output path. A `joined` entry is itself a complete name. */
export const outputVerbs: ReadonlyMap<string, 'first' | 'joined'> = new Map([
  ...'dest destination download dump export out output save saved store to write'
    .split(' ')
    .map((word) => [word, 'first'] as const),
  ...'downloadto dumpfile outdir outfile outpath outputdir outputfile outputpath savefile savepath saveto tofile writeto'
    .split(' ')
    .map((word) => [word, 'joined'] as const),
]);
export const places = wordSet('as dir directory file filename filepath folder location path paths to');

/** Values of `output` and `export` that name a response format. */
export const formatWords = /^(?:application|audio|image|text|video)\/[\w.+-]+$/i;

/** Arguments that hold a program. */
export const programKeys = wordSet(
  'code javascript js lambda lua perl php powershell program python ruby script snippet',
);
/** Lists of command words. The first word in such a list that is not an option names the operation. */
export const commandLists = wordSet('args argv cmd command subcommand');
/** Objects that a program can use without calling a function: pages, their storage, the process. */
export const reachedByPrograms = /\b(?:document|window|globalThis|localStorage|sessionStorage|process)\s*(?:\.|\[)/;
/** Arguments that hold an expression, which may be arithmetic. */
export const expressionKeys = wordSet('expr expression formula');
/** Words in the names of tools that inspect a program without running it. */
export const programReaders = wordSet(`
  check compare count describe diff estimate explain find grep lint review search summarise summarize validate verify`);

/** Arguments whose value is an address, with or without a scheme. */
export const addressKeys = wordSet(
  'address addresses endpoint href link links page site uri uris url urls webpage website',
);
export const hostKeys = wordSet('domain host hostname ip origin server target');
/** Words in the names of tools that send a request to a given host. */
export const fetching = wordSet('api browse crawl fetch http page pages request scrape site url web webpage website');
/**
 * Names of arguments for text that people write or search for. An address in such text does not count as an address.
 */
export const textKeys = wordSet(`
  body comment content description filter message pattern prompt q queries query question regex search summary text title`);
