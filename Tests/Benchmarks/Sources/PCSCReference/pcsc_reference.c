/* The same commands through pcscd and libccid, by the plainest client there is: what our driver is compared with.
   usage: PCSCReference COUNT COMMAND      prints: milliseconds a command, CPU milliseconds a command (client, pcscd) */
#include <ctype.h>
#include <dirent.h>
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

/* As in pcsclite.h: the header is not needed to use the library. */
typedef long status_t;
typedef struct { unsigned long protocol, length; } request_t;
typedef status_t (*establish_t)(unsigned long, const void *, const void *, long *);
typedef status_t (*list_t)(long, const char *, char *, unsigned long *);
typedef status_t (*connect_t)(long, const char *, unsigned long, unsigned long, long *, unsigned long *);
typedef status_t (*transmit_t)(long, const request_t *, const unsigned char *, unsigned long, request_t *, unsigned char *, unsigned long *);

static double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec * 1e3 + (double)time.tv_nsec / 1e6;
}

static double own_cpu(void) {
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    return (double)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) * 1e3 + (double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) / 1e3;
}

/* utime and stime of pcscd, from /proc. */
static double daemon_cpu(void) {
    DIR *directory = opendir("/proc");
    struct dirent *entry;
    double total = -1;
    while ((entry = readdir(directory)) != NULL) {
        if (!isdigit((unsigned char)entry->d_name[0])) continue;
        char path[300], text[1024], name[64];
        snprintf(path, sizeof path, "/proc/%s/stat", entry->d_name);
        FILE *file = fopen(path, "r");
        if (file == NULL) continue;
        unsigned long user = 0, system = 0;
        if (fgets(text, sizeof text, file) != NULL
            && sscanf(text, "%*d (%63[^)]) %*c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %lu %lu", name, &user, &system) == 3 && strcmp(name, "pcscd") == 0)
            total = (double)(user + system) * 1e3 / (double)sysconf(_SC_CLK_TCK);
        fclose(file);
    }
    closedir(directory);
    return total;
}

static void need(status_t status, const char *call) {
    if (status != 0) {
        fprintf(stderr, "%s: %08lx\n", call, (unsigned long)status);
        exit(2);
    }
}

int main(int count, char **arguments) {
    if (count != 3) return 64;
    int rounds = atoi(arguments[1]);
    unsigned char command[300];
    unsigned long length = 0;
    for (const char *digits = arguments[2]; digits[0] != 0 && digits[1] != 0; digits += 2) {
        unsigned value;
        sscanf(digits, "%2x", &value);
        command[length++] = (unsigned char)value;
    }
    void *library = dlopen("libpcsclite.so.1", RTLD_NOW);
    if (library == NULL) {
        fprintf(stderr, "%s\n", dlerror());
        return 2;
    }
    establish_t establish = (establish_t)dlsym(library, "SCardEstablishContext");
    list_t list = (list_t)dlsym(library, "SCardListReaders");
    connect_t connect = (connect_t)dlsym(library, "SCardConnect");
    transmit_t transmit = (transmit_t)dlsym(library, "SCardTransmit");
    long context, card;
    unsigned long protocol, size;
    char readers[2048];
    need(establish(2, NULL, NULL, &context), "SCardEstablishContext");
    size = sizeof readers;
    need(list(context, NULL, readers, &size), "SCardListReaders");
    /* pcscd takes a while to find the card. */
    status_t connected = -1;
    for (int attempt = 0; attempt < 60 && connected != 0; attempt++) {
        /* The names stand one behind the other, each with a zero, and a zero at the end. */
        for (const char *name = readers; *name != 0 && connected != 0; name += strlen(name) + 1)
            connected = connect(context, name, 2, 3, &card, &protocol);
        if (connected != 0) usleep(500000);
    }
    need(connected, "SCardConnect");
    request_t request = {protocol, sizeof request};
    double begin = 0, cpu = 0, daemon = 0;
    for (int round = -100; round < rounds; round++) {
        if (round == 0) {
            begin = now();
            cpu = own_cpu();
            daemon = daemon_cpu();
        }
        unsigned char answer[300];
        size = sizeof answer;
        need(transmit(card, &request, command, length, NULL, answer, &size), "SCardTransmit");
    }
    printf("%.4f %.4f %.4f\n", (now() - begin) / rounds, (own_cpu() - cpu) / rounds, (daemon_cpu() - daemon) / rounds);
    return 0;
}
