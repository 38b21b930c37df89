// The phases of the training, in order: each goes on from the one before. Flags are train.py's.

export const recipe = [
  { name: 'trained', flags: ['--phase', 'late', '--lr', '0.8', '--steps', '1600'] },
  {
    name: 'settled',
    flags: ['--phase', 'last', '--lr', '0.8', '--copy-gain', '1.4', '--steps', '1501', '--decay-to', '0.464'],
  },
  { name: 'varied', flags: ['--phase', 'varied', '--lr', '0.8', '--steps', '1300'] },
  { name: 'finished', flags: ['--phase', 'varied', '--lr', '0.8', '--steps', '1600', '--decay-to', '0'] },
];
