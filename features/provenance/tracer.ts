/** The value tracer that flows use. */
import type { Configuration } from '#core/contracts/config.ts';
import { trusted } from '#core/contracts/provenance.ts';
import type { ValueTracer } from '#core/session/value-tracer.ts';
import { sourceNotes, sourcesInWords } from './notes.ts';
import { rememberConversation, rememberResult, rememberWords } from './remember-call.ts';
import type { RecordPorts } from './session-record.ts';
import { traceCall } from './trace-call.ts';

export const tracerOver = (ports: RecordPorts): ValueTracer => ({
  trace: (...call) => traceCall(ports, ...call),
  async notes(policy, call) {
    const notes = sourceNotes(policy, call);
    return notes.length > 0 ? { notes, lines: sourcesInWords(notes) } : undefined;
  },
  keepWords: (session, words, configuration) =>
    rememberWords(ports, session, trusted, words, keptSeconds(configuration)),
  keepResult: (session, action, result, configuration) =>
    rememberResult(ports, session, action, result, keptSeconds(configuration)),
  keepConversation: (session, body, configuration) =>
    rememberConversation(ports, session, body, keptSeconds(configuration)),
});

const keptSeconds = ({ provenance }: Configuration): number => provenance.retention_hours * 3600;
