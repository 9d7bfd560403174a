/** The parts of the SDK for the object store. In a separate file, so that a late import bundles only them. */
export { GetObjectCommand, PutObjectCommand, S3Client } from '@aws-sdk/client-s3';
