/** `chat`: one governed chat call, for first-time users and for scripts. */

import { type Fields, fields, list, text } from '#core/kernel/json-fields.ts';
import { jsonOrUndefined } from '#core/kernel/json-or-undefined.ts';
import { sseDecoder } from '#core/models/dialects/sse.ts';
import { addCommand, type Cli, type Outcome, type Parent } from './command.ts';
import { exitCodes, Failure, UsageError } from './failure.ts';
import { paint } from './output.ts';
import { commandLine, optionWords } from './shell.ts';

interface ChatOptions {
  readonly model: string;
  readonly stream?: boolean;
  readonly system?: string;
  readonly session?: string;
  readonly approvalRef?: string;
  readonly temperature?: number;
}

export function addChat(parent: Parent): void {
  addCommand<ChatOptions>(parent, {
    usage: 'chat <text>',
    summary: 'Ask a model through the gateway; exit code 1 when it is blocked or held for review',
    examples: ['chat "Say hello"', 'chat "Write a haiku" --model mock --stream', 'chat "Say hello" --json | jq .usage'],
    options: (command) =>
      command
        .option('--model <name>', 'model or alias', 'mock')
        .option('--stream', 'print the answer as it arrives')
        .option('--system <text>', 'system prompt')
        .option('--temperature <n>', '0 to 2; above cache.max_temperature the response cache is not used', degrees)
        .option('--session <id>', 'session that the call belongs to')
        .option('--approval-ref <envelope_id>', 'the approval that this call consumes')
        .option('--gateway <address>', 'gateway address (AGENTCTL_GATEWAY)'),
    run: async (cli, options, [words = '']) => {
      try {
        return await chat(cli, options, words);
      } catch (failure) {
        throw failure instanceof Failure ? taught(failure, options) : failure;
      }
    },
  });
}

function degrees(word: string): number {
  const value = Number(word);
  if (word.trim() !== '' && value >= 0 && value <= 2) return value;
  throw new UsageError(`--temperature takes a number from 0 to 2, got ${JSON.stringify(word)}`);
}

async function chat(cli: Cli, options: ChatOptions, words: string): Promise<Outcome> {
  const { model, stream, system, session, approvalRef, temperature } = options;
  const opened = await cli.api().open('chatCompletions', {
    body: {
      model,
      messages: [
        ...(system === undefined ? [] : [{ role: 'system', content: system }]),
        { role: 'user', content: words },
      ],
      ...(temperature !== undefined && { temperature }),
      ...(stream && { stream: true, stream_options: { include_usage: true } }),
    },
    headers: {
      ...(session !== undefined && { 'x-session-id': session }),
      ...(approvalRef !== undefined && { 'x-approval-ref': approvalRef }),
    },
  });
  if (opened.type === 'text/event-stream') return showStream(cli, opened.bytes);
  const document = await collectText(opened.bytes);
  const answer = fields(jsonOrUndefined(document));
  if (cli.globals.json) cli.out.json(document);
  else if (answer.status === 'pending_approval') showPending(cli, answer, options, words);
  else showReply(cli, answer);
  return answer.status === 'pending_approval' ? 'negative' : 'positive';
}

function showReply({ out }: Cli, answer: Fields): void {
  const choices = list(answer.choices);
  if (choices.length === 0) throw new Failure(exitCodes.negative, 'the answer has no choices');
  for (const { message } of choices) {
    const { content, refusal } = fields(message);
    out.text(text(content) ?? text(refusal) ?? '');
  }
  showUsage(out, answer);
}

async function* eventData(bytes: AsyncIterable<Uint8Array>): AsyncIterable<string> {
  const decoder = sseDecoder();
  for await (const chunk of bytes) for (const { data } of decoder.push(chunk)) yield data;
  for (const { data } of decoder.end()) yield data;
}

/** Prints text as it arrives, or, with `--json`, one event per line. */
async function showStream({ out, globals }: Cli, bytes: AsyncIterable<Uint8Array>): Promise<Outcome> {
  let ended = false;
  let last: Fields = {};
  for await (const data of eventData(bytes)) {
    ended ||= data === '[DONE]';
    if (data === '[DONE]') continue;
    const event = fields(jsonOrUndefined(data));
    if (globals.json) out.json(data);
    else for (const { delta } of list(event.choices)) out.piece(text(fields(delta).content) ?? '');
    if (event.error !== undefined) throw streamFailure(event, globals.json === true, out);
    if (event.usage) last = event;
  }
  if (!globals.json) out.line();
  if (!ended) throw new Failure(exitCodes.unreachable, 'the stream broke off before its end');
  if (!globals.json) showUsage(out, last);
  return 'positive';
}

function streamFailure(event: Fields, asJson: boolean, out: Cli['out']): Failure {
  if (!asJson) out.line();
  const { type, message } = fields(event.error);
  return new Failure(
    exitCodes.negative,
    `${text(type) ?? 'error'}: ${text(message) ?? 'the stream ended with an error'}`,
  );
}

function showUsage(out: Cli['out'], { model, usage }: Fields): void {
  const { prompt_tokens, completion_tokens } = fields(usage);
  if (prompt_tokens === undefined) return;
  out.note(paint('dim', `${text(model) ?? ''}: ${prompt_tokens} tokens in, ${completion_tokens} out`));
}

function showPending({ out, globals }: Cli, answer: Fields, options: ChatOptions, words: string): void {
  out.line('status: ', paint('yellow', 'pending_approval'));
  for (const name of ['envelope_id', 'approval_url', 'queued_at'] as const) out.field(name, answer[name]);
  const id = text(answer.envelope_id);
  if (id === undefined) return;
  const where = optionWords(globals, ['url', 'gateway', 'config', 'state']);
  const admin = where.filter((_, n) => where[n - (n % 2)] !== '--gateway');
  const again = optionWords(options, ['model', 'system', 'session']);
  out.line();
  out.line('A person decides:');
  out.line(`  ${commandLine(['agentctl', 'approve', id, '--comment', 'WHY', ...admin])}`);
  out.line('Then the same call is allowed once:');
  const repeat = ['agentctl', 'chat', words, ...again, ...(options.stream ? ['--stream'] : [])];
  out.line(`  ${commandLine([...repeat, '--approval-ref', id, ...where])}`);
}

/** Advice on errors that are common on a first call. */
const lessons: Readonly<Record<string, (options: ChatOptions) => string>> = {
  model_not_found: ({ model }) =>
    `no route and no provider serves ${model}: see \`agentctl providers\`, or try --model mock`,
  model_not_allowed: () => 'the model is not in allowed_models of the tenant or the key: see the configuration',
  policy_violation: () => 'a content filter stopped it: see `agentctl violations`',
  session_blocked: () =>
    'the session is blocked because of its risk: read `agentctl risk show`, then use another session with --session',
  budget_exceeded: () => 'see `agentctl budgets`',
  rate_limit_error: () => 'see `agentctl budgets` for the limits and the remaining amounts',
  provider_error: () => "see `agentctl providers`, and the gateway's log with the request id",
};

function taught(failure: Failure, options: ChatOptions): Failure {
  if (failure.hint !== undefined) return failure;
  const type = text(fields(fields(jsonOrUndefined(failure.body ?? '')).error).type) ?? failure.message.split(':')[0]!;
  const hint = Object.hasOwn(lessons, type) ? lessons[type]?.(options) : undefined;
  return new Failure(failure.exitCode, failure.message, { hint, body: failure.body, cause: failure });
}

async function collectText(bytes: AsyncIterable<Uint8Array>): Promise<string> {
  const decoder = new TextDecoder();
  let whole = '';
  for await (const chunk of bytes) whole += decoder.decode(chunk, { stream: true });
  return whole + decoder.decode();
}
