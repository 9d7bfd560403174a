/** The cost of reading a call's effects and evaluating policy on them. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import type { ToolCall } from '#core/contracts/envelope.ts';
import { decideEffects } from '#core/effects/decide-effects.ts';
import type { EffectReader } from '#core/effects/ports.ts';
import { shellEffects } from '#core/effects/shell.ts';
import { compilePolicy } from '#core/policy/rules/compile.ts';
import { parsePack } from '#core/policy/rules/pack.ts';

export async function benchEffects(): Promise<Record<string, number>> {
  const { parse: shellParse, decide: shellDecide } = microsOf(shellEffects, 'pr-writer', shellCalls());
  return {
    shell_500_characters_parse_p50_us: shellParse,
    shell_500_characters_parse_and_decide_p50_us: shellDecide,
  };
}

/** Returns the p50 of reading effects alone and of reading plus deciding, over calls that differ. */
function microsOf(read: EffectReader, pack: string, calls: readonly ToolCall[]) {
  const policy = compilePolicy(
    parsePack(parse(readFileSync(join(process.cwd(), 'policies', `${pack}.yaml`), 'utf8')), pack),
  );
  return {
    parse: median(calls, (call) => void read(call)),
    decide: median(calls, (call) => void decideEffects(policy, call, read(call))),
  };
}

function median(calls: readonly ToolCall[], work: (call: ToolCall) => void): number {
  const micros: number[] = [];
  for (let round = 0; round < 3000; round++) {
    const call = calls[round % calls.length]!;
    const start = performance.now();
    work(call);
    micros.push((performance.now() - start) * 1000);
  }
  // The first thousand calls are a warm-up.
  return micros.slice(1000).sort((a, b) => a - b)[1000]!;
}

/**
 * Builds command lines of about 500 characters like those coding agents write: a dozen commands with pipes, quotes and
 * redirections.
 */
const shellCalls = (): ToolCall[] =>
  Array.from({ length: 100 }, (_, i) => {
    const command = [
      `cd packages/app-${i}`,
      `git log --oneline -${i} --grep="release ${i}" | head -20`,
      `grep -rn "export function handler${i}" src --include='*.ts' | sort | uniq -c > "out-${i}.txt" 2>&1`,
      `sed -n '1,${i + 1}p' src/handlers/file${i}.ts`,
      `cat package-${i}.json | jq '.scripts["test"]' | tr -d '"'`,
      `find src test -name '*.test.ts' -newer tsconfig-${i}.json -type f | wc -l`,
      `bash -c "pytest -q tests/unit/test_${i}.py tests/unit/test_a_${i}.py"`,
      `(git diff --stat main...HEAD -- "src/app-${i}/index.ts" || echo "failed ${i}: $?")`,
      `ls -la dist/app-${i} coverage/app-${i} 2>/dev/null`,
    ].join(' && ');
    return { protocol: 'shell', tool: 'shell.run', target: '', capability: 'execute', parameters: { command } };
  });
