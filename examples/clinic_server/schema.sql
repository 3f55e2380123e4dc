-- The clinic's database. Days are 'YYYY-MM-DD', times 'YYYY-MM-DD HH:MM', both by the clocks of the clinic.

CREATE TABLE IF NOT EXISTS insurers (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    name TEXT NOT NULL UNIQUE
);

CREATE TABLE IF NOT EXISTS patients (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    name TEXT NOT NULL,
    date_of_birth TEXT NOT NULL,
    phone TEXT NOT NULL,
    email TEXT,
    insurer_id INTEGER NOT NULL REFERENCES insurers (id),
    created_at TEXT NOT NULL DEFAULT CURRENT_TIMESTAMP,
    UNIQUE (name, date_of_birth)
);

-- Who may act for a patient: a parent, a carer. The last day counts.
CREATE TABLE IF NOT EXISTS patient_proxies (
    patient_id INTEGER NOT NULL REFERENCES patients (id) ON DELETE CASCADE,
    proxy_id INTEGER NOT NULL REFERENCES patients (id) ON DELETE CASCADE,
    valid_until TEXT NOT NULL,
    PRIMARY KEY (patient_id, proxy_id),
    CHECK (patient_id <> proxy_id)
);

CREATE TABLE IF NOT EXISTS services (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    name TEXT NOT NULL UNIQUE,
    minutes INTEGER NOT NULL CHECK (minutes > 0),
    needs_referral INTEGER NOT NULL DEFAULT 0 CHECK (needs_referral IN (0, 1)),
    equipment TEXT,
    recall_days INTEGER,
    late_fee REAL NOT NULL DEFAULT 0
);

CREATE TABLE IF NOT EXISTS insurer_terms (
    insurer_id INTEGER NOT NULL REFERENCES insurers (id),
    service_id INTEGER NOT NULL REFERENCES services (id),
    needs_preauthorisation INTEGER NOT NULL CHECK (needs_preauthorisation IN (0, 1)),
    copay REAL NOT NULL,
    PRIMARY KEY (insurer_id, service_id)
);

CREATE TABLE IF NOT EXISTS practitioners (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    name TEXT NOT NULL,
    specialty TEXT NOT NULL,
    active INTEGER NOT NULL DEFAULT 1 CHECK (active IN (0, 1))
);

CREATE TABLE IF NOT EXISTS practitioner_services (
    practitioner_id INTEGER NOT NULL REFERENCES practitioners (id),
    service_id INTEGER NOT NULL REFERENCES services (id),
    PRIMARY KEY (practitioner_id, service_id)
);

-- Weekday 1 is Monday. Between urgent_from and urgent_until only urgent appointments, until the day itself.
CREATE TABLE IF NOT EXISTS practitioner_hours (
    practitioner_id INTEGER NOT NULL REFERENCES practitioners (id),
    weekday INTEGER NOT NULL CHECK (weekday BETWEEN 1 AND 7),
    opens TEXT NOT NULL,
    closes TEXT NOT NULL,
    urgent_from TEXT,
    urgent_until TEXT,
    PRIMARY KEY (practitioner_id, weekday)
);

CREATE TABLE IF NOT EXISTS practitioner_absences (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    practitioner_id INTEGER NOT NULL REFERENCES practitioners (id),
    first_day TEXT NOT NULL,
    last_day TEXT NOT NULL,
    reason TEXT NOT NULL,
    CHECK (first_day <= last_day)
);

CREATE TABLE IF NOT EXISTS closed_days (
    day TEXT PRIMARY KEY,
    reason TEXT NOT NULL
);

CREATE TABLE IF NOT EXISTS rooms (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    name TEXT NOT NULL UNIQUE,
    out_of_service_until TEXT
);

CREATE TABLE IF NOT EXISTS room_equipment (
    room_id INTEGER NOT NULL REFERENCES rooms (id),
    equipment TEXT NOT NULL,
    PRIMARY KEY (room_id, equipment)
);

CREATE TABLE IF NOT EXISTS referrals (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    patient_id INTEGER NOT NULL REFERENCES patients (id),
    service_id INTEGER NOT NULL REFERENCES services (id),
    referred_by TEXT NOT NULL,
    valid_until TEXT NOT NULL,
    visits_allowed INTEGER NOT NULL
);

CREATE TABLE IF NOT EXISTS preauthorisations (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    patient_id INTEGER NOT NULL REFERENCES patients (id),
    service_id INTEGER NOT NULL REFERENCES services (id),
    status TEXT NOT NULL CHECK (status IN ('requested', 'granted', 'denied')),
    requested_on TEXT NOT NULL,
    valid_until TEXT
);

CREATE TABLE IF NOT EXISTS appointments (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    patient_id INTEGER NOT NULL REFERENCES patients (id),
    practitioner_id INTEGER NOT NULL REFERENCES practitioners (id),
    service_id INTEGER NOT NULL REFERENCES services (id),
    room_id INTEGER NOT NULL REFERENCES rooms (id),
    starts_at TEXT NOT NULL,
    ends_at TEXT NOT NULL,
    status TEXT NOT NULL DEFAULT 'booked'
        CHECK (status IN ('booked', 'done', 'cancelled', 'late_cancelled', 'no_show')),
    urgent INTEGER NOT NULL DEFAULT 0 CHECK (urgent IN (0, 1)),
    referral_id INTEGER REFERENCES referrals (id),
    preauthorisation_id INTEGER REFERENCES preauthorisations (id),
    fee REAL NOT NULL DEFAULT 0,
    created_at TEXT NOT NULL DEFAULT CURRENT_TIMESTAMP,
    CHECK (starts_at < ends_at)
);
CREATE INDEX IF NOT EXISTS appointments_patient ON appointments (patient_id, starts_at);
CREATE UNIQUE INDEX IF NOT EXISTS appointments_one_a_start
    ON appointments (practitioner_id, starts_at) WHERE status = 'booked';

CREATE TABLE IF NOT EXISTS waiting_list (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    patient_id INTEGER NOT NULL REFERENCES patients (id),
    service_id INTEGER NOT NULL REFERENCES services (id),
    practitioner_id INTEGER REFERENCES practitioners (id),
    wanted_until TEXT NOT NULL,
    added_on TEXT NOT NULL,
    status TEXT NOT NULL DEFAULT 'waiting' CHECK (status IN ('waiting', 'placed', 'withdrawn'))
);

-- Whose file was opened, and when.
CREATE TABLE IF NOT EXISTS access_log (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    patient_id INTEGER NOT NULL,
    opened_at TEXT NOT NULL DEFAULT CURRENT_TIMESTAMP
);
