// The phases of the training, in order: each goes on from the one before. Flags are train.py's.

export const recipe = [
  { name: 'trained', flags: ['--phase', 'mixed', '--steps', '4000'] },
  { name: 'finished', flags: ['--phase', 'late', '--steps', '1500', '--decay'] },
];
