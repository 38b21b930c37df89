// Reads a file's beginning in order, without the rest. A length that the file cannot hold is refused before it is used.

import { fstatSync, openSync, readSync, closeSync } from 'node:fs';
import { CheckpointError } from './checkpoint-error.ts';

const blockBytes = 1 << 20;

/** Little-endian. Every read names what it reads, for the error. The caller closes. */
export class HeaderReader {
  readonly path: string;
  readonly fileBytes: number;
  private readonly fd: number;
  private buffer: Buffer = Buffer.alloc(0);
  /** File offset of `buffer[0]`. */
  private base = 0;
  private at = 0;

  constructor(path: string) {
    this.path = path;
    this.fd = openSync(path, 'r');
    this.fileBytes = fstatSync(this.fd).size;
  }

  get offset(): number {
    return this.base + this.at;
  }

  get remaining(): number {
    return this.fileBytes - this.offset;
  }

  close(): void {
    closeSync(this.fd);
  }

  u8(what: string): number {
    const at = this.take(1, what);
    return this.buffer.readUInt8(at);
  }

  i8(what: string): number {
    const at = this.take(1, what);
    return this.buffer.readInt8(at);
  }

  u16(what: string): number {
    const at = this.take(2, what);
    return this.buffer.readUInt16LE(at);
  }

  i16(what: string): number {
    const at = this.take(2, what);
    return this.buffer.readInt16LE(at);
  }

  u32(what: string): number {
    const at = this.take(4, what);
    return this.buffer.readUInt32LE(at);
  }

  i32(what: string): number {
    const at = this.take(4, what);
    return this.buffer.readInt32LE(at);
  }

  f32(what: string): number {
    const at = this.take(4, what);
    return this.buffer.readFloatLE(at);
  }

  f64(what: string): number {
    const at = this.take(8, what);
    return this.buffer.readDoubleLE(at);
  }

  u64(what: string): bigint {
    const at = this.take(8, what);
    return this.buffer.readBigUInt64LE(at);
  }

  i64(what: string): bigint {
    const at = this.take(8, what);
    return this.buffer.readBigInt64LE(at);
  }

  /** A u64 that counts something of which each takes at least `bytesEach` of what remains of the file. */
  count(bytesEach: number, what: string): number {
    const given = this.u64(what);
    if (given * BigInt(bytesEach) > BigInt(this.remaining)) {
      throw new CheckpointError(
        this.path,
        `${what} says ${given}, which needs ${given * BigInt(bytesEach)} bytes at offset ${this.offset}, ` +
          `but the file has ${this.fileBytes} bytes; it is damaged or not completely downloaded`,
      );
    }
    return Number(given);
  }

  /** `length` bytes, valid until the next read. */
  bytes(length: number, what: string): Buffer {
    const start = this.take(length, what);
    return this.buffer.subarray(start, start + length);
  }

  /** u64 length, then UTF-8. */
  string(what: string): string {
    const length = this.count(1, `the length of ${what}`);
    const start = this.take(length, what);
    return this.buffer.toString('utf8', start, start + length);
  }

  /** Makes `length` bytes stand in `buffer` (perhaps a new one), passes them, and returns where they start in it. */
  private take(length: number, what: string): number {
    if (this.at + length > this.buffer.length) this.fill(length, what);
    const start = this.at;
    this.at += length;
    return start;
  }

  private fill(length: number, what: string): void {
    if (length > this.remaining) {
      throw new CheckpointError(
        this.path,
        `${what} needs ${length} bytes at offset ${this.offset}, but the file has ${this.fileBytes} bytes; ` +
          'it is damaged or not completely downloaded',
      );
    }
    const offset = this.offset;
    const size = Math.min(Math.max(length, blockBytes), this.remaining);
    const buffer = Buffer.allocUnsafe(size);
    for (let done = 0; done < size;) {
      const read = readSync(this.fd, buffer, done, size - done, offset + done);
      if (read === 0) throw new CheckpointError(this.path, `the file became shorter while it was read`);
      done += read;
    }
    this.buffer = buffer;
    this.base = offset;
    this.at = 0;
  }
}
