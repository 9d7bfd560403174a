/** Finds content in a tool definition that goes beyond a description [guard.definitions]. */

import { asText } from '#core/kernel/as-text.ts';
import type { JsonObject } from '#core/kernel/json.ts';
import { remembered } from '#core/kernel/remembered.ts';
import { toolWords, wordsIn } from '#core/policy/classification/tool-words.ts';
import {
  authoringVerbs,
  changingVerbs,
  explainingNouns,
  joining,
  measures,
  producingVerbs,
  readingVerbs,
} from '#core/policy/classification/verbs.ts';
import { foldUnicode, isAscii } from '#core/text/matching/fold-unicode.ts';
import { secrecyOf } from '#core/text/secrets/secret-names.ts';
import { type SecretFileTest, secretFileTest } from '#core/text/secrets/secret-paths.ts';
import { checkText, conceals, foldForJudging } from './check-text.ts';
import { definitionTexts, type Parameter, type PlacedText, parametersOf } from './definition-texts.ts';
import type { DefinitionKind, Finding, Severity } from './finding.ts';
import { joinedTexts } from './joined-texts.ts';
import { type Wording, wordingWith } from './wording.ts';

type DefinitionFinding = Finding<DefinitionKind>;

const findingOf = (
  kind: DefinitionKind,
  where: string,
  severity: Severity,
  description: string,
): DefinitionFinding => ({
  kind,
  where,
  severity,
  description,
});

/**
 * Returns the findings in a definition considered on its own, cached per definition.
 * @param secretFiles files that the configuration adds to the catalog.
 */
export const checkDefinition = (definition: JsonObject, secretFiles: readonly string[] = []) =>
  checkedWith(secretFiles.length === 0 ? noFiles : secretFiles)(definition);

const noFiles: readonly string[] = [];
const checkedWith = remembered((secretFiles: readonly string[]) =>
  remembered((definition: JsonObject) => findingsIn(definition, secretFiles)),
);

function findingsIn(definition: JsonObject, secretFiles: readonly string[]): readonly DefinitionFinding[] {
  const texts = definitionTexts(definition);
  const parameters = parametersOf(definition);
  const findings = [
    ...nameFindings(definition, parameters),
    ...texts.flatMap((text) => textFindings(text, secretFiles)),
    ...parameters.flatMap((parameter) => parameterFindings(definition, parameter)),
    ...contradictions(definition),
  ];
  // If individual strings already have such findings, their combination is not checked.
  if (!findings.some(({ kind }) => kind === 'instruction'))
    findings.push(...saidTogether(texts, wordingWith(secretFiles)));
  return findings;
}

function nameFindings({ name }: JsonObject, parameters: readonly Parameter[]): DefinitionFinding[] {
  const names = [
    ['name', asText(name)] as const,
    ...parameters.map((each) => ['inputSchema.properties', each.name] as const),
  ];
  return names.flatMap(([where, text]) =>
    isAscii(text) || !isAscii(foldUnicode(text))
      ? []
      : [
          findingOf(
            'lookalike_name',
            where,
            'high',
            'A name with letters from other scripts that look like Latin letters, or with invisible characters.',
          ),
        ],
  );
}

const asDefinition = {
  instruction: 'instruction',
  hidden_instruction: 'instruction',
  encoded_instruction: 'instruction',
  false_error: 'instruction',
  data_link: 'instruction',
  terminal_escape: 'invisible_text',
  invisible_text: 'invisible_text',
} as const;

function textFindings({ where, text }: PlacedText, secretFiles: readonly string[]): DefinitionFinding[] {
  const kinds = checkText(text, wordingWith(secretFiles)).map(({ kind, severity, description }) =>
    findingOf(asDefinition[kind], where, severity, description),
  );
  const plain = foldForJudging(text);
  if (kinds.length === 0 && conceals(text))
    kinds.push(findingOf('instruction', where, 'medium', 'Text that has the model keep something from the user.'));
  if (refersToSecretFile(plain, secretFileTest(secretFiles)))
    kinds.push(findingOf('secret_reference', where, 'medium', 'The name of a file that holds keys or credentials.'));
  if (asksContext(plain, where.startsWith('inputSchema')))
    kinds.push(
      findingOf(
        'asks_context',
        where,
        'medium',
        'A request for the conversation, the system prompt or the list of tools.',
      ),
    );
  return withoutRepeats(kinds);
}

const saysRefused =
  /\b(?:are|is|will be) (?:also |always )?(?:rejected|refused|denied|blocked|forbidden|excluded|skipped|not (?:allowed|accepted|permitted|read))\b/;
/** Three or more quoted names, as examples of what a search may look for. */
const examples = /(?:["'`][^"'`\s]{1,64}["'`], ?(?:and |or )?){2,20}["'`][^"'`\s]{1,64}["'`]/;
const reads =
  /\b(?:read|open|load|include|pass|send|attach|copy|cat|print|paste|upload|put|give|provide|content|need|require)(?:e?s|ing)?\b/;

/**
 * Reports whether text refers to a secret file. Excludes sentences that say such paths are refused, and files that are
 * one of several examples.
 */
function refersToSecretFile(text: string, namesFile: SecretFileTest): boolean {
  return text.split(/[.!?](?=\s)|\n/).some((sentence) => {
    const words = sentence.split(/[\s"'`(),;]+/).map((word) => word.replace(/[.:]$/, ''));
    if (!words.some(namesFile) || saysRefused.test(sentence)) return false;
    const [listed = ''] = examples.exec(sentence) ?? [];
    const names = listed.split(/[\s"'`,]+/).filter((name) => name !== '');
    const isExample = names.filter((name) => !namesFile(name)).length >= 2 && !reads.test(sentence);
    return !isExample || words.some((word) => namesFile(word) && !names.includes(word));
  });
}

/** Checks all strings together, because an instruction may be split across several parameters. */
const saidTogether = (texts: readonly PlacedText[], wording: Wording): DefinitionFinding[] =>
  withoutRepeats(
    joinedTexts(texts.map(({ text }) => text))
      .flatMap((text) => checkText(text, wording))
      .filter(({ kind, severity }) => asDefinition[kind] === 'instruction' && severity === 'high')
      .map(({ description }) => findingOf('instruction', 'definition', 'high', description)),
  );

const contexts =
  /\b(?:full|entire|whole|complete|previous|prior|current|all|your|user's|recent) {1,4}(?:chat |conversation |message )?(?:conversation|chat history|chat|context window|transcript (?:so far|of (?:the|this|our) (?:chat|conversation|session))|(?:chat|conversation|session) transcript|dialogue|message history|conversation history|history of (?:the |this )?(?:chat|conversation))\b|(?<!\b(?:custom|optional|additional|an?|own) )\bsystem[ _]prompts?\b(?! (?:to guide|for the (?:llm|model|extraction|generation)|that guides))|\b(?:chat|conversation|message|dialogue)[ _](?:history|log|transcript|so far)\b|\b(?:list|names|schemas|definitions) of (?:all |the |your |available |other ){0,3}tools\b|(?<!\bin )\b(?:your|model'?s?|assistant'?s?) (?:instructions|reasoning|memory|chain of thought|context)\b|\bcontext window\b/;
/** A context window as a limit to stay within: "avoids context window issues", "so that it fits into your context". */
const contextAsLimit =
  /\b(?:avoid|exceed|overflow|overwhelm|pollut|consum|reduc|fit)(?:e?s|e|ed|ing|ting)? (?:up )?(?:in |into |within )?(?:the |your |model's |llm's ){0,2}context(?: window)?\b/g;
/** Signs of a tool that handles conversations and so legitimately reads and writes them. */
const ofConversations = /\b(?:by id|conversation id|slack|intercom|zendesk|discord|teams|thread)\b/;
/** Words that make text a request. A parameter description always counts as a request. */
const requests =
  /\b(?:(?:pass|provide|include|send|give|put|supply|add|attach|paste|copy|share|submit|forward|write|fill|tell|repeat|show|summari[sz]e|take|need|require)(?:e?s|d|ing)?|must|should|always|first|with)\b/;

/**
 * Reports whether text asks for the conversation or for the model's instructions. A mere mention, as in "after chat
 * history loss", is not a request.
 */
function asksContext(written: string, isParameter: boolean): boolean {
  const text = written.replace(contextAsLimit, ' ');
  return (
    contexts.test(text) &&
    !ofConversations.test(text) &&
    (isParameter || text.split(/[.!?](?=\s)|\n/).some((sentence) => contexts.test(sentence) && requests.test(sentence)))
  );
}

const contextNames = new Set(
  `conversation_history chat_history system_prompt conversation full_conversation previous_messages full_context tool_list
  available_tools model_context chat_transcript conversation_context message_history user_prompt original_prompt
  assistant_instructions agent_context llm_context`.split(/\s+/),
);
const ofSecrets = new Set(
  `login auth authenticate password passwords secret secrets token tokens user users credential credentials key keys account
  encrypt decrypt connect sign verify vault register signup session jwt otp hash`.split(/\s+/),
);

function parameterFindings({ name: tool }: JsonObject, { name, required }: Parameter): DefinitionFinding[] {
  const words = wordsIn(name).join('_');
  const where = 'inputSchema.properties';
  if (contextNames.has(words))
    return [
      findingOf(
        'asks_context',
        where,
        'medium',
        'A parameter for the conversation, the system prompt or the list of tools.',
      ),
    ];
  if (required && secrecyOf(name) !== 'none' && !wordsIn(asText(tool)).some((word) => ofSecrets.has(word)))
    return [findingOf('asks_secret', where, 'medium', 'A required parameter for a password, key or token.')];
  return [];
}

/**
 * Reports annotations that contradict a verb in the name. Words that are also nouns (`git_branch`, `open_nodes`) do not
 * count, nor do verbs that may produce results without changing anything (`extract_text`). No annotation makes a call
 * less restricted, so a name that is only doubtful is not a finding.
 */
function contradictions({ name, annotations }: JsonObject): DefinitionFinding[] {
  if (typeof annotations !== 'object' || annotations === null || Array.isArray(annotations)) return [];
  const { family, words } = toolWords(asText(name));
  const changes = [...family, ...words]
    .filter((word) => !producingVerbs.has(word))
    .map((word) => changingVerbs.get(word));
  const deletes = changes.includes('delete') && !readsMeasure([...family, ...words]);
  const writes = changes.includes('write') && !words.some((word) => readingVerbs.has(word)) && !explainsAct(words);
  if (annotations.readOnlyHint === true && (deletes || writes))
    return [
      findingOf(
        'contradiction',
        'annotations.readOnlyHint',
        'medium',
        'The name says that the tool changes something, but the annotation says that it only reads.',
      ),
    ];
  if (annotations.destructiveHint === false && deletes)
    return [
      findingOf(
        'contradiction',
        'annotations.destructiveHint',
        'medium',
        'The name says that the tool deletes, but the annotation says that it destroys nothing.',
      ),
    ];
  return [];
}

/** Reports whether a name is that of a text or state of an act: `sync_status`, `dry_run_update`, but not `update_status`. */
const explainsAct = (words: readonly string[]): boolean =>
  /\bdry run\b/.test(words.join(' ')) ||
  (explainingNouns.has(words.at(-1) ?? '') && !words.some((word) => authoringVerbs.has(word)));

/** Checks for a leading verb that reads a measure of one other verb: `fetch_reset_date`, but not `get_and_reset_date`. */
function readsMeasure(words: readonly string[]): boolean {
  const [first = '', ...between] = words.slice(0, -1);
  return (
    readingVerbs.has(first) &&
    measures.has(words.at(-1) ?? '') &&
    !between.slice(0, -1).some((word) => changingVerbs.has(word) || joining.has(word))
  );
}

/** Keeps one finding per kind and severity. */
function withoutRepeats(findings: readonly DefinitionFinding[]): DefinitionFinding[] {
  const kinds = new Set<string>();
  return findings.filter(({ kind, severity }) => {
    const key = `${kind} ${severity}`;
    return kinds.has(key) ? false : kinds.add(key);
  });
}
