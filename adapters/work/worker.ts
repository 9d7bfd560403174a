/**
 * A worker thread for heavy work, which handles one job after another. It is terminated from outside if a job takes too
 * long.
 */
import { parentPort } from 'node:worker_threads';
import { type Job, runJob } from './jobs.ts';

parentPort?.on('message', async (job: Job) => parentPort?.postMessage(await runJob(job)));
parentPort?.postMessage('ready');
