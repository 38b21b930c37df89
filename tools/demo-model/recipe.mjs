// The phases of the training, in order: each goes on from the one before. Flags are train.py's.

export const recipe = [
  { name: 'first', flags: ['--phase', 'late', '--weight-decay', '0.3', '--steps', '1033'] },
  { name: 'trained', flags: ['--phase', 'late', '--lr', '0.8', '--steps', '501'] },
  { name: 'finished', flags: ['--phase', 'last', '--lr', '0.8', '--steps', '1300', '--decay'] },
];
