/** The transparency log, and its witnesses. */
import * as z from 'zod';
import { problemOfAttempt } from '#core/configuration/checks/glob-checks.ts';
import { type Problem, reportProblems } from '#core/contracts/problems.ts';
import { witnessKey } from '#core/evidence/transparency/witness-keys.ts';

export const section = {
  'evidence.log': z
    .strictObject({
      enabled: z.boolean().default(true).meta({
        description:
          "Whether the gateway on this machine appends the state of each session's chain to the transparency log of the tenant. On AWS, the deployment sets this (transparencyLog).",
      }),
      witnesses: z.array(z.string().max(300)).max(16).superRefine(reportProblems(checkWitnesses)).default([]).meta({
        description:
          'Verifier keys of the witnesses whose cosignatures the gateway accepts, such as name+1a2b3c4d+BF…: 0 to 16, each of the cosignature type.',
      }),
    })
    .prefault({})
    .meta({ description: 'The transparency log, and who witnesses it.' }),
};

function checkWitnesses(witnesses: readonly string[]): Problem[] {
  const allowed = 'the verifier key that agentctl witness prints';
  return witnesses.flatMap((text, at) => problemOfAttempt(() => void witnessKey(text), text, [at], allowed));
}

type Section = typeof section;
declare module '#core/contracts/config/sections.ts' {
  interface FeatureSections extends Section {}
}
