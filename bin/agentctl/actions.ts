/** `test-action`: governs one action. */
import { idempotencyKeyPattern } from '#core/contracts/started-action.ts';
import { fields } from '#core/kernel/json-fields.ts';
import { addCallOptions, buildCall, type CallOptions, collectValues } from './call-options.ts';
import { addCommand, type Cli, type Parent } from './command.ts';
import { hasFailed, showDecision } from './decision.ts';
import { UsageError } from './failure.ts';
import { paint } from './output.ts';

interface ActionOptions extends CallOptions {
  readonly approvalRef?: string;
  readonly session?: string;
  readonly agent?: string;
  readonly justification?: string;
  readonly prompt?: string;
  readonly manifest?: string;
  readonly root?: readonly string[];
  readonly idempotencyKey?: string;
  readonly dryRun?: boolean;
}

export function addActions(parent: Parent): void {
  addCommand<ActionOptions>(parent, {
    usage: 'test-action',
    summary: 'Govern one action; exit code 0 for allow, 1 for review, block and a call that failed',
    examples: [
      'test-action --protocol git --tool scm.get_file_contents --target acme/site --capability read',
      'test-action --protocol git --tool scm.create_pull_request --target acme/site --capability write --param title=Fix --param head=fix --param base=main',
      'test-action --protocol sql --tool sql.query --target app --capability read --params @query.json --dry-run',
    ],
    options: (command) =>
      addCallOptions(command)
        .option('--approval-ref <envelope_id>', 'the approval that this call consumes')
        .option('--session <id>', 'session that the action belongs to')
        .option('--agent <name>', 'label of the agent')
        .option('--justification <text>', 'reason to show the reviewer')
        .option('--prompt <text>', "the person's request, for rules on the origin of values")
        .option('--manifest <id>', 'task manifest that the action belongs to')
        .option('--root <path>', 'folder or URI below which the call may work (repeatable)', collectValues)
        .option(
          '--idempotency-key <key>',
          'run the call at most once: a repetition with this key returns the first outcome',
        )
        .option('--dry-run', 'only evaluate: record nothing, consume no approval'),
    run: async (cli, options) => {
      const calling = cli.api().call('testAction', { body: actionBody(options), headers: headersOf(options) });
      const answer = await noteWhileHeld(cli, calling);
      const result = fields(answer.json);
      if (cli.globals.json) cli.out.json(answer.text);
      else showDecision(cli, result, retryWords(options));
      return result.decision === 'allow' && !hasFailed(result) ? 'positive' : 'negative';
    },
  });
}

/** Time after which a call is more likely to be held for a person than slow. */
const heldAfterMs = 2_000;

/** Prints a note on the terminal while the call is held [cli.watch]. */
async function noteWhileHeld<T>({ out }: Cli, calling: Promise<T>): Promise<T> {
  if (!process.stderr.isTTY) return calling;
  const words = 'still pending: a call that needs approval is held for hold_seconds; `agentctl pending` lists it';
  const timer = setTimeout(() => out.note(paint('dim', words)), heldAfterMs);
  try {
    return await calling;
  } finally {
    clearTimeout(timer);
  }
}

/** Returns the headers. @throws UsageError for an idempotency key that cannot be sent in an HTTP header. */
function headersOf({ idempotencyKey: key }: ActionOptions): Record<string, string> {
  if (key === undefined) return {};
  if (!idempotencyKeyPattern.test(key))
    throw new UsageError(`--idempotency-key is ${JSON.stringify(key)}; it must be 1 to 255 visible ASCII characters`);
  return { 'idempotency-key': key };
}

function actionBody(options: ActionOptions): unknown {
  const { agent, session, approvalRef, justification, prompt, manifest, root = [], dryRun } = options;
  const actor = { ...(agent !== undefined && { agent }), ...(session !== undefined && { session }) };
  return {
    ...buildCall(options),
    ...(Object.keys(actor).length > 0 && { actor }),
    ...(approvalRef !== undefined && { approval_ref: approvalRef }),
    ...(justification !== undefined && { justification }),
    ...(prompt !== undefined && { prompt }),
    ...(manifest !== undefined && { manifest_id: manifest }),
    ...(root.length > 0 && { roots: root }),
    ...(dryRun && { dry_run: true }),
  };
}

/** Returns the words of the command that repeats the same call. An approval is valid only for that exact call. */
function retryWords(options: ActionOptions): string[] {
  const words = ['test-action'];
  const names = [
    'protocol',
    'tool',
    'target',
    'capability',
    'upstream',
    'params',
    'session',
    'agent',
    'justification',
    'prompt',
    'manifest',
  ] as const;
  for (const name of names) {
    const value = options[name];
    if (value !== undefined) words.push(`--${name}`, value);
  }
  for (const pair of options.param ?? []) words.push('--param', pair);
  for (const root of options.root ?? []) words.push('--root', root);
  return words;
}
