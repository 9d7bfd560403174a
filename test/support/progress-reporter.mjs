/**
 * Output of `npm test` in addition to Jest's summary: first the planned files and their usual duration, then each
 * failed file and the progress. On a terminal the progress is one line that is rewritten; elsewhere it is printed at
 * every tenth.
 */
import { relative } from 'node:path';

/** Figures of the whole run on two idle cores. */
const whole = { fewestFiles: 600, tests: 'about 21,400 tests', seconds: 9 * 60 };

export default class ProgressReporter {
  #folder;
  #line = '';
  #tenths = 0;
  #startedMs = Date.now();
  /** Seconds that this run's files took last time, or that the whole run usually takes. */
  #expected = 0;

  constructor({ rootDir }) {
    this.#folder = rootDir;
  }

  onRunStart({ numTotalTestSuites: files }, { estimatedTime }) {
    const isWhole = files >= whole.fewestFiles;
    // Jest has times only for files that ran here before.
    this.#expected = isWhole ? Math.max(estimatedTime, whole.seconds) : estimatedTime;
    const usually = isWhole
      ? `, ${whole.tests}: usually ${whole.seconds / 60} minutes on two idle cores, longer on a busy machine`
      : '';
    this.#print(`Running ${files} test files on this machine alone${usually}.`);
  }

  onTestResult({ path }, { failureMessage }, results) {
    if (failureMessage) this.#print(`FAILED ${relative(this.#folder, path)}\n${failureMessage}`);
    this.#show(results);
  }

  onRunComplete() {
    this.#erase();
  }

  #show({ numTotalTestSuites: files, numPassedTestSuites, numFailedTestSuites, numPendingTestSuites, numFailedTests }) {
    const done = numPassedTestSuites + numFailedTestSuites + numPendingTestSuites;
    const line = `${done} of ${files} files, failures so far: ${numFailedTests}${done < files ? this.#left() : ''}`;
    if (process.stderr.isTTY) {
      this.#erase();
      this.#line = line;
      process.stderr.write(line);
      return;
    }
    const tenths = Math.floor((10 * done) / files);
    if (tenths > this.#tenths && files > 20) this.#print(line);
    this.#tenths = tenths;
  }

  #left() {
    const seconds = this.#expected - (Date.now() - this.#startedMs) / 1000;
    if (this.#expected === 0) return '';
    if (seconds <= 0) return ', longer than usual';
    return seconds < 60 ? ', less than a minute left' : `, about ${Math.round(seconds / 60)} min left`;
  }

  #print(text) {
    const line = this.#line;
    this.#erase();
    process.stderr.write(`${text}\n${line}`);
    this.#line = line;
  }

  #erase() {
    if (this.#line !== '') process.stderr.write('\r\u001b[2K');
    this.#line = '';
  }
}
