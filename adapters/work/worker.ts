/** A worker thread of heavy work: takes a job, answers it, takes the next. It is ended from outside when one is late. */
import { parentPort } from 'node:worker_threads';
import { done, type Job } from './jobs.ts';

parentPort?.on('message', async (job: Job) => parentPort?.postMessage(await done(job)));
parentPort?.postMessage('ready');
