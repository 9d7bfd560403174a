/** `rollout`: moves a model's traffic to another provider in stages. */
import type { Command } from 'commander';
import { addCommand, type Parent } from './command.ts';
import { groupOf, showAnswer } from './operation-command.ts';
import { showTree } from './tree.ts';

interface CreateOptions {
  readonly model: string;
  readonly canary: string;
  readonly stages?: string;
  readonly window?: string;
  readonly errorThreshold?: string;
  readonly latencyP95?: string;
  readonly startAt?: string;
}

export const addRollout = groupOf(
  'rollout',
  'Move traffic to another provider in stages: create, list, show, pause, resume, rollback',
  addCreate,
);

function addCreate(parent: Parent): void {
  addCommand<CreateOptions>(parent, {
    usage: 'create',
    summary: 'Move the traffic of a model to another provider',
    examples: [
      'rollout create --model gpt-4o --canary openai-eu',
      'rollout create --model "gpt-*" --canary openai-eu --stages 5,25,100 --window 10m --latency-p95 1500',
    ],
    options: (command: Command) =>
      command
        .requiredOption('--model <name>', 'model name, or the pattern of a route')
        .requiredOption('--canary <provider>', 'the provider that gets the traffic')
        .option('--stages <percentages>', 'rising percentages (default: 5,25,50,100)')
        .option('--window <duration>', 'how long a stage is observed, e.g. 90s, 5m, 1h (default: 5m)')
        .option('--error-threshold <percent>', 'percentage of canary calls that may fail (default: 5)')
        .option('--latency-p95 <ms>', '95th percentile of latency that canary calls may reach, in ms (default: 2000)')
        .option('--start-at <time>', 'ISO 8601 time of the first stage (default: now)'),
    run: async (cli, options) => {
      const { model, canary, stages, window, errorThreshold, latencyP95, startAt } = options;
      const body = {
        route_model: model,
        canary_provider: canary,
        ...(stages !== undefined && { stages: stages.split(',').map(Number) }),
        ...(window !== undefined && { observation_window: window }),
        ...(errorThreshold !== undefined && { error_threshold: Number(errorThreshold) }),
        ...(latencyP95 !== undefined && { latency_p95_threshold: Number(latencyP95) }),
        ...(startAt !== undefined && { start_at: startAt }),
      };
      return showAnswer(cli, 'createRollout', { body }, showTree);
    },
  });
}
