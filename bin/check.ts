/** `npm run check`: runs all steps in parallel to use every core, and reports each step when it ends. */
import { spawn } from 'node:child_process';
import { Command } from 'commander';

const { verbose = false } = new Command('npm run check --')
  .description('Runs format and lint, types, direction of imports, unused code, words and unit tests in parallel.')
  .option('--verbose', 'also print the output of steps that passed')
  .parse()
  .opts<{ verbose?: true }>();

const steps = ['lint', 'typecheck', 'boundaries', 'unused', 'voice', 'test:unit'] as const;

/**
 * Runs a script from package.json. Prints its whole output in one piece, so that the output of two steps is not
 * interleaved.
 */
function run(step: string): Promise<boolean> {
  const began = performance.now();
  // On Windows npm is a shell script.
  const child = spawn('npm', ['run', '--silent', step], {
    stdio: ['ignore', 'pipe', 'pipe'],
    shell: process.platform === 'win32',
  });
  const output: Buffer[] = [];
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk: Buffer) => void output.push(chunk));
  return new Promise((resolve) => {
    const end = (passed: boolean): void => {
      const seconds = ((performance.now() - began) / 1000).toFixed(1);
      if (!passed || verbose) process.stdout.write(Buffer.concat(output));
      console.log(`${passed ? 'passed' : 'FAILED'}  ${step} (${seconds} s)`);
      resolve(passed);
    };
    child.on('error', (cause) => {
      output.push(Buffer.from(`npm did not start: ${cause.message}\n`));
      end(false);
    });
    child.on('close', (code) => end(code === 0));
  });
}

const passed = await Promise.all(steps.map(run));
const failed = steps.filter((_, at) => !passed[at]);
if (failed.length > 0) {
  console.log(`failed: ${failed.join(', ')}; run one alone with npm run <step>`);
  process.exitCode = 1;
}
