/** What policy and sandbox say of a call: in place where it is small, in a worker where it is large [limit.heavy-call]. */
import type { Snapshot } from '#core/configuration/store/snapshots.ts';
import type { ActionEnvelope, ToolCall } from '#core/contracts/envelope.ts';
import type { Effects } from '#core/effects/ports.ts';
import { argumentGuard, argumentSettings, withLinks } from '#core/guard/decide-arguments.ts';
import type { LinksPort } from '#core/guard/links.ts';
import type { RootLists } from '#core/guard/roots.ts';
import { decide, type PolicyDecision } from '#core/policy/rules/decide.ts';
import type { Redaction } from '#core/text/secrets/redact.ts';
import { rememberAlternative } from './answers.ts';
import { isLarge, policyText, sentOf } from './call-work.ts';
import { recordedParts } from './entries.ts';
import { evaluate } from './judge.ts';
import type { CallWorkPort } from './ports.ts';
import { rememberPrograms } from './program-texts.ts';

type Known = Pick<Snapshot, 'policy' | 'policyDocument' | 'configuration'>;

/** What is known of a call besides itself. */
interface Beside {
  /** The envelope whose entry will be written; absent for calls that leave none. */
  readonly recorded?: ActionEnvelope | undefined;
  /** Roots that the client declares. An approved call was compared with them before it waited. */
  readonly roots?: RootLists | undefined;
}

/** The decision of policy and sandbox. @throws GatewayError `payload_too_large`, `service_unavailable`. */
export const evaluateCall = async (
  ports: CallWorkPort & LinksPort,
  known: Known,
  call: ToolCall,
  effects: Effects,
): Promise<PolicyDecision> => (await evaluateRecorded(ports, known, call, effects, {})).evaluated;

/**
 * The same of a call that may be recorded, with what its entry shows of a large one. What a worker finds out beside that is remembered,
 * so that later steps do not look again.
 * @throws GatewayError as above.
 */
export async function evaluateRecorded(
  { calls, links }: CallWorkPort & LinksPort,
  { policy, policyDocument, configuration }: Known,
  call: ToolCall,
  effects: Effects,
  { recorded, roots }: Beside,
): Promise<{ readonly evaluated: PolicyDecision; readonly redaction?: Redaction | undefined }> {
  const guard = await withLinks(argumentSettings(configuration, call, roots), configuration, call, links);
  if (!calls || !isLarge(sentOf(call))) {
    const decided = await evaluate({ policy, configuration, guard: await argumentGuard(guard) }, call, effects);
    return { evaluated: await noted(policy, call, decided) };
  }
  const { evaluated, alternative, programs, redaction } = await calls.evaluate({
    call: bare(call),
    effects,
    policy: policyText(policyDocument),
    sandbox: configuration.sandbox,
    guard,
    ...(recorded && {
      recorded: { value: recordedParts(recorded), sensitivePaths: configuration.evidence.sensitive },
    }),
  });
  rememberPrograms(call, programs);
  rememberAlternative(policy, call, alternative);
  return { evaluated: await noted(policy, call, evaluated), redaction: recorded && redaction };
}

/** With what was found of the sources that rules ask for [provenance.reasons]. */
async function noted(policy: Known['policy'], call: ToolCall, decided: PolicyDecision): Promise<PolicyDecision> {
  if (!call.sources) return decided;
  const { sourceNotes, sourcesInWords } = await import('#core/session/sources/notes.ts');
  const notes = sourceNotes(policy, call);
  return notes.length > 0 ? { ...decided, provenance: { notes, lines: sourcesInWords(notes) } } : decided;
}

/** What the rules alone say of a call, whatever its effects are. @throws GatewayError as above. */
export async function decideCall(
  { calls }: CallWorkPort,
  { policy, policyDocument }: Pick<Known, 'policy' | 'policyDocument'>,
  call: ToolCall,
): Promise<PolicyDecision> {
  if (!calls || !isLarge(sentOf(call))) return decide(policy, call);
  return calls.decide({ call: bare(call), policy: policyText(policyDocument) });
}

const bare = ({
  protocol,
  tool,
  target,
  capability,
  upstream,
  parameters,
  sent_with,
  sources,
  withheld,
}: ToolCall): ToolCall => ({
  ...{ protocol, tool, target, capability, upstream, parameters, sent_with, sources, withheld },
});
